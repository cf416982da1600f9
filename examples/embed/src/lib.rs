//! Stop-and-wait over a channel that loses messages: described in Rust, next to the code that would implement it.

use highwater::builder::{BuildError, Edge, Process, System, Type, any, equal_to, name};
use highwater::{Check, Error, Model};

/// The protocol: `Sender` repeats a message until its bit is acknowledged, `Receiver` takes each new one once.
///
/// The channels hold so many messages. `Loss` takes messages away.
pub fn stop_and_wait(capacity: u32) -> Result<Model, BuildError> {
    System::new("stop-and-wait")
        .channel("data", capacity, [Type::Bit])
        .channel("acks", capacity, [Type::Bit])
        .variable("sent", Type::Bit, 0)
        .variable("received", Type::Bit, 0)
        .process(
            Process::new("Sender")
                .variable("bit", Type::Bit, 0)
                .initial("ready")
                .progress("next")
                .edge(Edge::new("ready", "waiting").send("data", ["bit"]).assign("sent", "bit"))
                .edge(Edge::new("waiting", "next").receive("acks", [equal_to("bit")]))
                .edge(Edge::new("waiting", "waiting").receive("acks", [equal_to(name("bit").equals(0))]))
                .edge(Edge::new("waiting", "waiting").send("data", ["bit"]))
                .edge(Edge::new("next", "ready").assign("bit", name("bit").equals(0))),
        )
        .process(
            Process::new("Receiver")
                .variable("expected", Type::Bit, 0)
                .variable("got", Type::Bit, 0)
                .initial("idle")
                .end("idle")
                .edge(Edge::new("idle", "compare").receive("data", ["got"]))
                .edge(
                    Edge::new("compare", "answer")
                        .guard(name("got").equals("expected"))
                        .assert(name("sent").equals("got"))
                        .assign("expected", name("expected").equals(0)),
                )
                .edge(Edge::new("compare", "answer").guard(name("got").differs("expected")))
                .edge(Edge::new("answer", "idle").send("acks", ["got"])),
        )
        .process(
            Process::new("Loss")
                .initial("lurk")
                .end("lurk")
                .edge(Edge::new("lurk", "lurk").receive("data", [any()]))
                .edge(Edge::new("lurk", "lurk").receive("acks", [any()])),
        )
        .build()
}

/// How long each channel gets while a client waits for each reply.
pub fn lengths_of_requests() -> Result<Vec<(String, Option<u64>)>, Error> {
    let model = Model::read(concat!(env!("CARGO_MANIFEST_DIR"), "/models/requests.pml"))?;
    let report = Check::new(&model).property("boundedness")?.run()?;
    let channels = report.findings().flat_map(|finding| finding.channels());
    Ok(channels.map(|channel| (channel.name, channel.at_most)).collect())
}
