//! Declarations: symbols, machines, types and global variables, and the constants in them.
//!
//! Symbols and machines are known before anything else is read. A structure is flattened into its scalars; what a channel holds
//! becomes a channel type. Sizes, capacities and first values are folded to numbers here, or refused.

use super::body::Body;
use super::types::{self, Entity, EntityKind, Field, Flatten, Structure, Type};
use super::{Declared, Lowering, empty_machine};
use crate::ast::{Declaration, Declarator, Expr, ExprKind, Initializer, Program, TypeName, Unit, Visibility};
use crate::token::Name;
use model::diagnostic::nearest;
use model::expr::{BinaryOp, UnaryOp};
use model::ids::{ChannelTypeId, MachineId, SymbolSetId};
use model::network::{ChannelType, Initial, MachineKind, ScalarType, SymbolSet, Variable};
use model::source::Span;

/// More elements than this, over all variables of a scope, do not fit into a state.
const MOST_ELEMENTS: usize = 1 << 20;

impl Lowering<'_> {
    /// Symbolic constants can be used before their declaration. Within a set, the last name of the
    /// first declaration is 1: SPIN counts each list from its end.
    pub(super) fn declare_symbols(&mut self, program: &Program) {
        for unit in &program.units {
            let Unit::Symbols { set, symbols } = unit else { continue };
            let id = match set {
                None => SymbolSetId(0),
                Some(name) => self.symbol_set(*name),
            };
            for &(name, span) in symbols.iter().rev() {
                let text = self.text(name);
                if let Some(&(_, _, earlier)) = self.symbols.get(&name) {
                    let error = self.error("P0201", span, format!("symbolic constant `{text}` is declared twice"));
                    *error = error.clone().also(earlier, "first declared here");
                    continue;
                }
                let symbols = &mut self.network.symbol_sets[id.index()].symbols;
                symbols.push(text);
                let value = symbols.len() as i32;
                if value == 256 {
                    self.error("P0202", span, "more than 255 symbolic constants in one set");
                }
                self.symbols.insert(name, (id, value, span));
                self.symbol_order.push((name, id));
            }
        }
    }

    fn symbol_set(&mut self, name: Name) -> SymbolSetId {
        if let Some(&id) = self.symbol_sets.get(&name) {
            return id;
        }
        let id = SymbolSetId::from(self.network.symbol_sets.len());
        self.network.symbol_sets.push(SymbolSet { name: self.text(name), symbols: Vec::new() });
        self.symbol_sets.insert(name, id);
        id
    }

    /// Process types can be used before their declaration, too; parameters are checked at the end.
    pub(super) fn declare_machines(&mut self, program: &Program) {
        for unit in &program.units {
            let Unit::Proctype(proctype) = unit else { continue };
            let text = self.text(proctype.name);
            if let Some(&earlier) = self.machine_names.get(&proctype.name) {
                let earlier = self.network.machine(earlier).span;
                let what = if text == ":init:" {
                    String::from("a second `init`")
                } else {
                    format!("process type `{text}` is declared twice")
                };
                let error = self.error("P0203", proctype.span, what);
                *error = error.clone().also(earlier, "first declared here");
                continue;
            }
            let id = MachineId::from(self.network.machines.len());
            self.machine_names.insert(proctype.name, id);
            self.network.machines.push(empty_machine(text, MachineKind::Process, proctype.span));
        }
    }

    pub(super) fn global(&mut self, declaration: &Declaration) {
        let Some(ty) = self.resolve_type(declaration.ty, declaration.ty_span) else { return };
        for declarator in &declaration.variables {
            if let Some(earlier) = self.globals.get(&declarator.name).map(|d| d.span) {
                self.redeclared(declarator, earlier);
                continue;
            }
            if self.clashes_with_constant(declarator) {
                continue;
            }
            let Some((ty, len)) = self.declared_type(&ty, declarator) else { continue };
            let initial = self.initial(declarator, &ty, len, None);
            let mut variables = std::mem::take(&mut self.network.variables);
            let entity = self.flatten(declarator, &ty, len, &initial, &mut variables);
            self.network.variables = variables;
            if let Some(entity) = entity {
                if declaration.visibility == Some(Visibility::Hidden) {
                    self.hidden_warning(declarator.span);
                }
                self.declared.push((declarator.name, declarator.span));
                self.globals.insert(declarator.name, Declared { entity, span: declarator.span, local: false });
            }
        }
    }

    fn hidden_warning(&mut self, span: Span) {
        let warning = self.warning("P0251", span, "`hidden` is ignored: the variable is part of the state");
        *warning = warning.clone().help("SPIN leaves hidden variables out of its states; numbers of states can differ");
    }

    pub(super) fn redeclared(&mut self, declarator: &Declarator, earlier: Span) {
        let text = self.text(declarator.name);
        let error = self.error("P0204", declarator.span, format!("`{text}` is declared twice in the same scope"));
        *error = error.clone().label("declared again here").also(earlier, "first declared here");
    }

    pub(super) fn clashes_with_constant(&mut self, declarator: &Declarator) -> bool {
        let Some(&(_, _, earlier)) = self.symbols.get(&declarator.name) else { return false };
        let text = self.text(declarator.name);
        let error = self.error("P0205", declarator.span, format!("`{text}` is a symbolic constant already"));
        *error = error.clone().also(earlier, "declared here").help("choose another name for the variable");
        true
    }

    pub(super) fn flatten(
        &mut self,
        declarator: &Declarator,
        ty: &Type,
        len: Option<u32>,
        initial: &Initial,
        variables: &mut Vec<Variable>,
    ) -> Option<Entity> {
        let names = self.names;
        let text = |name: Name| names.text(name).to_owned();
        let name = text(declarator.name);
        let mut to = Flatten { structures: &self.structures, text: &text, variables, limit: MOST_ELEMENTS };
        match types::flatten(&mut to, &name, ty, len, initial, &[], declarator.span) {
            Ok(entity) => Some(entity),
            Err(types::TooLarge) => {
                self.error("P0206", declarator.span, format!("`{name}` has too many elements"));
                None
            }
        }
    }

    pub(super) fn resolve_type(&mut self, ty: TypeName, span: Span) -> Option<Type> {
        Some(Type::Scalar(match ty {
            TypeName::Bit => ScalarType::Bit,
            TypeName::Byte => ScalarType::Byte,
            TypeName::Pid => ScalarType::Pid,
            TypeName::Short => ScalarType::Short,
            TypeName::Int => ScalarType::Int,
            TypeName::Unsigned => ScalarType::Unsigned(32),
            TypeName::Mtype(None) => ScalarType::Symbol(SymbolSetId(0)),
            TypeName::Mtype(Some(set)) => ScalarType::Symbol(self.symbol_set(set)),
            TypeName::Chan => ScalarType::Channel,
            TypeName::User(name) => match self.structure_names.get(&name) {
                Some(&structure) => return Some(Type::Struct(structure)),
                None => {
                    let text = self.text(name);
                    let known: Vec<String> = self.structures.iter().map(|s| self.text(s.name)).collect();
                    let basic = ["bit", "bool", "byte", "short", "int", "unsigned", "chan", "mtype", "pid"];
                    let hint = nearest(&text, known.iter().map(String::as_str).chain(basic)).map(str::to_owned);
                    let error = self.error("P0207", span, format!("there is no type `{text}`"));
                    *error = error.clone().label("not a type");
                    if let Some(hint) = hint {
                        *error = error.clone().help(format!("did you mean `{hint}`?"));
                    }
                    return None;
                }
            },
        }))
    }

    /// The type and the number of elements of one declarator.
    pub(super) fn declared_type(&mut self, ty: &Type, declarator: &Declarator) -> Option<(Type, Option<u32>)> {
        let mut ty = ty.clone();
        match declarator.width {
            Some((bits, span)) if !(1..=32).contains(&bits) => {
                self.error("P0208", span, format!("a width of {bits} bits is not possible"));
                return None;
            }
            Some((bits, _)) => match ty {
                Type::Scalar(ScalarType::Unsigned(_)) => ty = Type::Scalar(ScalarType::Unsigned(bits as u8)),
                // SPIN takes a width on any type, and uses it.
                Type::Scalar(ScalarType::Bit | ScalarType::Byte) => {
                    ty = Type::Scalar(ScalarType::Unsigned((bits as u8).min(8)));
                }
                _ => {}
            },
            None => {}
        }
        let len = match &declarator.len {
            None => None,
            Some(e) => {
                let value = self.constant(e)?;
                if value < 1 || value as usize > MOST_ELEMENTS {
                    let text = self.text(declarator.name);
                    let error = self.error("P0209", e.span, format!("`{text}` cannot have {value} elements"));
                    *error = error.clone().help("an array has at least one element");
                    return None;
                }
                Some(value as u32)
            }
        };
        Some((ty, len))
    }

    /// The value of an expression that must be constant; a global variable counts with its first value.
    pub(super) fn constant(&mut self, e: &Expr) -> Option<i32> {
        let value = self.fold(e);
        if let ExprKind::Name(reference) = &e.kind
            && let Some(declared) = self.globals.get(&reference.name)
        {
            self.used.insert(declared.span);
        }
        if value.is_none() {
            let error = self.error("P0210", e.span, "a constant is needed here");
            *error = error.clone().help("use a number, or a macro that stands for one");
        }
        value
    }

    fn fold(&self, e: &Expr) -> Option<i32> {
        match &e.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Unary(op, e) => {
                let value = self.fold(e)?;
                Some(match op {
                    UnaryOp::Negate => value.wrapping_neg(),
                    UnaryOp::Not => i32::from(value == 0),
                    UnaryOp::Complement => !value,
                })
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.fold(a)?, self.fold(b)?);
                BinaryOp::apply(*op, a, b)
            }
            ExprKind::Name(reference) if reference.index.is_none() && reference.field.is_none() => {
                if let Some(&(_, value, _)) = self.symbols.get(&reference.name) {
                    return Some(value);
                }
                match &self.globals.get(&reference.name)?.entity {
                    Entity { len: None, kind: EntityKind::Leaf { variable, .. } } => {
                        match &self.network.global(*variable).initial {
                            Initial::Value(model::expr::Expr::Const(value)) => Some(*value),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The first value of a declarator; `body` for a local one.
    pub(super) fn initial(
        &mut self,
        declarator: &Declarator,
        ty: &Type,
        len: Option<u32>,
        body: Option<&Body>,
    ) -> Initial {
        match &declarator.initial {
            None => Initial::Zero,
            Some(Initializer::List(values, span)) => {
                if len.is_none() {
                    let text = self.text(declarator.name);
                    self.error("P0211", *span, format!("`{text}` is not an array, but has a list of first values"));
                }
                Initial::List(values.clone())
            }
            Some(Initializer::Channel { capacity, fields, span }) => {
                if !matches!(ty, Type::Scalar(ScalarType::Channel)) {
                    let text = self.text(declarator.name);
                    let error = self.error("P0212", *span, format!("`{text}` is not a channel"));
                    *error = error.clone().help("declare it with `chan`");
                    return Initial::Zero;
                }
                match self.channel_type(capacity, fields, *span) {
                    Some(id) => Initial::NewChannel(id),
                    None => Initial::Zero,
                }
            }
            Some(Initializer::Value(e)) => match self.expr(e, body) {
                Some(e) => {
                    self.check_range(declarator.span, ty, &e);
                    Initial::Value(e)
                }
                None => Initial::Zero,
            },
        }
    }

    /// Says so when a constant does not fit the variable it is assigned to.
    pub(super) fn check_range(&mut self, span: Span, ty: &Type, e: &model::expr::Expr) {
        let (Type::Scalar(scalar), Some(value)) = (ty, e.constant()) else { return };
        let stored = scalar.truncate(value);
        if stored != value && !matches!(scalar, ScalarType::Channel) {
            let name = scalar.name();
            let warning = self.warning("P0252", span, format!("the value {value} does not fit into `{name}`"));
            *warning = warning.clone().label(format!("{stored} is stored instead"));
        }
    }

    fn channel_type(&mut self, capacity: &Expr, fields: &[(TypeName, Span)], span: Span) -> Option<ChannelTypeId> {
        let slots = self.constant(capacity)?;
        if !(0..=65_535).contains(&slots) {
            self.error("P0213", capacity.span, format!("a channel cannot hold {slots} messages"));
            return None;
        }
        let mut scalars = Vec::new();
        for &(ty, ty_span) in fields {
            let ty = self.resolve_type(ty, ty_span)?;
            if types::scalars(&self.structures, &ty, None, &mut scalars).is_none() {
                let error = self.error("P0214", ty_span, "this type cannot be a field of a message");
                *error = error.clone().help("a message has at most 1024 scalar fields, and no array of structures");
                return None;
            }
        }
        let capacity = Some(slots as u32);
        self.network.channel_types.push(ChannelType { capacity, fields: scalars, lossy: false, span });
        Some(ChannelTypeId::from(self.network.channel_types.len() - 1))
    }

    pub(super) fn typedef(&mut self, name: Name, span: Span, declarations: &[Declaration]) {
        if self.structure_names.contains_key(&name) {
            let text = self.text(name);
            self.error("P0215", span, format!("type `{text}` is declared twice"));
            return;
        }
        let mut fields: Vec<Field> = Vec::new();
        for declaration in declarations {
            let Some(ty) = self.resolve_type(declaration.ty, declaration.ty_span) else { continue };
            for declarator in &declaration.variables {
                if let Some(earlier) = fields.iter().find(|f| f.name == declarator.name).map(|f| f.span) {
                    self.redeclared(declarator, earlier);
                    continue;
                }
                let Some((ty, len)) = self.declared_type(&ty, declarator) else { continue };
                let initial = self.initial(declarator, &ty, len, None);
                fields.push(Field { name: declarator.name, ty, len, initial, span: declarator.span });
            }
        }
        self.structure_names.insert(name, self.structures.len());
        self.structures.push(Structure { name, fields });
    }
}
