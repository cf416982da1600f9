//! How each kind of system is checked: the one interface that the check of every kind of model goes through.

use crate::components::Components;
use crate::compositions::Compositions;
use crate::error::Error;
use crate::evidence::Answer;
use crate::model::{Model, System};
use crate::networks::Networks;
use crate::programs::Programs;
use crate::settings::{Engine, Settings};
use model::budget::Stopwatch;
use model::context::Context;
use model::semantics::Reading;
use model::verdict::{Property, Reason};

/// A model of some kind, with the settings that it is checked under.
pub(crate) trait Strategy {
    /// The properties that the model states.
    fn stated(&self) -> Vec<Property>;

    /// What `-p all` stands for.
    fn all(&self) -> Vec<Property> {
        self.stated()
    }

    /// The properties that a name of the command line stands for; at least one.
    fn named(&self, property: &Property) -> Result<Vec<Property>, Error> {
        Ok(vec![property.clone()])
    }

    /// Why a property cannot be checked, if it cannot.
    fn unsupported(&self, property: &Property) -> Option<Reason>;

    /// The engines that may answer a property with these settings; none if it is not one for them.
    fn engines(&self, property: &Property) -> Vec<Engine>;

    /// One answer for each property, in order.
    fn solve(&self, properties: &[Property], cx: &Context<'_>) -> Result<Vec<Answer>, Error>;

    /// The property that is shown although it was not requested, if there is one.
    fn advised(&self) -> Option<Property> {
        None
    }

    /// Answers that are shown although they were not requested.
    fn advise(&self, _: &Context<'_>) -> Vec<Answer> {
        Vec::new()
    }

    /// The channel semantics of the answers; of no importance where there are no channels.
    fn reading(&self) -> Reading {
        Reading::Declared
    }
}

/// The strategy for a model.
pub(crate) fn of<'a>(model: &'a Model, settings: &'a Settings) -> Result<Box<dyn Strategy + 'a>, Error> {
    Ok(match &model.system {
        System::Network(network) => Box::new(Networks::new(network, model, settings)?),
        System::Composition(composition) => Box::new(Compositions::new(composition, settings)?),
        System::Program(program) => Box::new(Programs::new(program, &model.sources, settings)),
        System::Components(components) => Box::new(Components::new(components, &model.sources, settings)?),
    })
}

/// One property after the other; each has its share of the time that is left.
pub(crate) fn one_by_one(
    properties: &[Property],
    cx: &Context<'_>,
    mut answer: impl FnMut(&Property, &Context<'_>) -> Result<Answer, Error>,
) -> Result<Vec<Answer>, Error> {
    let mut answers = Vec::new();
    for (index, property) in properties.iter().enumerate() {
        let watch = Stopwatch::start();
        let share = cx.budget.share(properties.len() - index);
        let mut answer = answer(property, &cx.with(&share))?;
        answer.outcome.time = watch.elapsed();
        answers.push(answer);
    }
    Ok(answers)
}

/// A property that this kind of model cannot have.
pub(crate) fn not_applicable(why: impl Into<String>) -> Option<Reason> {
    Some(Reason::NotApplicable(why.into()))
}

/// A property that is not checked by this engine, or not for this model.
pub(crate) fn not_supported(why: impl Into<String>) -> Option<Reason> {
    Some(Reason::NotSupported(why.into()))
}
