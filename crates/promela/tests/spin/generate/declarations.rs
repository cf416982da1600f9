//! Messages, typedefs, variables and channels.

use super::{Chan, Generator, Kind, Scope, StructVar, Typedef, Var};
use crate::spin::tree::{Feature, Node};

impl Kind {
    pub(super) fn feature(self) -> Feature {
        match self {
            Kind::Bit => "bit",
            Kind::Bool => "bool",
            Kind::Byte => "byte",
            Kind::Short => "short",
            Kind::Int => "int",
            Kind::Unsigned(_) => "unsigned",
            Kind::Mtype => "mtype",
            Kind::Named => "mtype-named",
            Kind::Pid => "pid",
            Kind::Chan(_) => "chan-variable",
            Kind::Struct(_) => "typedef",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Named => "mtype:way",
            other => other.feature(),
        }
    }
}

impl Generator {
    /// `byte x`, `unsigned x : 3`.
    pub(super) fn declared(&self, kind: Kind, name: &str) -> String {
        match kind {
            Kind::Unsigned(bits) => format!("unsigned {name} : {bits}"),
            Kind::Chan(_) => format!("chan {name}"),
            Kind::Struct(typedef) => format!("{} {name}", self.typedefs[typedef].name),
            _ => format!("{} {name}", kind.word()),
        }
    }

    pub(super) fn kind(&mut self) -> Kind {
        let kinds = [
            Kind::Bit,
            Kind::Bool,
            Kind::Byte,
            Kind::Short,
            Kind::Int,
            Kind::Unsigned(1 + self.random.below(9) as u32),
            Kind::Mtype,
            Kind::Named,
            Kind::Pid,
        ];
        let wanted: Vec<Kind> = kinds.iter().copied().filter(|k| self.wants(k.feature())).collect();
        if !wanted.is_empty() && self.random.chance(50) {
            return *self.random.pick(&wanted);
        }
        let allowed: Vec<Kind> = kinds.iter().copied().filter(|k| self.on(k.feature())).collect();
        if allowed.is_empty() { Kind::Byte } else { *self.random.pick(&allowed) }
    }

    /// The type of a field of messages, which has no width of its own.
    fn field(&mut self) -> Kind {
        match self.kind() {
            Kind::Unsigned(_) => Kind::Byte,
            other => other,
        }
    }

    /// Types of messages: plain ones, then one with a channel, then one with a typedef.
    pub(super) fn declare_messages(&mut self) {
        for _ in 0..2 {
            let fields = if self.maybe("multi-field", 40) { 2 } else { 1 };
            let fields = (0..fields).map(|_| self.field()).collect();
            self.messages.push(fields);
        }
        if self.maybe("channel-of-channels", 50) {
            let mut fields = vec![Kind::Chan(self.random.below(2))];
            if self.maybe("multi-field", 40) {
                fields.push(self.field());
            }
            self.messages.push(fields);
        }
    }

    pub(super) fn declare_typedefs(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        if !self.on("typedef") {
            return nodes;
        }
        nodes.push(self.typedef(false));
        if self.maybe("typedef-nested", 50) {
            nodes.push(self.typedef(true));
        }
        if self.maybe("channel-of-typedef", 50) {
            let simple = self.typedefs.iter().position(|t| {
                t.channels.is_empty()
                    && t.fields.iter().all(|f| f.2.is_none() && !matches!(f.1, Kind::Unsigned(_) | Kind::Struct(_)))
            });
            if simple.is_none() {
                nodes.push(self.simple_typedef());
            }
            self.messages.push(vec![Kind::Struct(simple.unwrap_or(self.typedefs.len() - 1))]);
        }
        nodes
    }

    /// A typedef that can be sent.
    fn simple_typedef(&mut self) -> Node {
        let (name, field) = (self.name("T"), self.name("f"));
        let fields = vec![(field.clone(), Kind::Byte, None)];
        self.typedefs.push(Typedef { name: name.clone(), fields, channels: Vec::new(), features: vec!["typedef"] });
        Node::leaf(format!("typedef {name} {{ byte {field} }}"))
    }

    fn typedef(&mut self, nested: bool) -> Node {
        let name = self.name("T");
        let mut typedef =
            Typedef { name: name.clone(), fields: Vec::new(), channels: Vec::new(), features: vec!["typedef"] };
        for _ in 0..1 + self.random.below(2) {
            let (field, kind) = (self.name("f"), self.kind());
            let array = self.maybe("typedef-array-field", 30).then_some(2);
            typedef.fields.push((field, kind, array));
        }
        if nested {
            let field = self.name("f");
            let array = self.maybe("typedef-array", 30).then_some(2);
            typedef.fields.push((field, Kind::Struct(0), array));
            typedef.features.push("typedef-nested");
        }
        if self.maybe("typedef-channel", 35) {
            let (field, messages) = (self.name("u"), self.random.below(2));
            typedef.channels.push((field, messages, 1 + self.random.below(2)));
            typedef.features.push("typedef-channel");
        }
        let mut node = Node::leaf(format!("typedef {name} {{"));
        node.tail = "}".to_owned();
        let mut items = Vec::new();
        for (field, kind, array) in &typedef.fields {
            let suffix = array.map_or(String::new(), |n| format!("[{n}]"));
            let text = self.declared(*kind, field);
            let text = if matches!(kind, Kind::Unsigned(_)) { text } else { format!("{text}{suffix}") };
            items.push(Node::leaf(text));
        }
        for (field, messages, capacity) in &typedef.channels {
            items.push(Node::leaf(format!("chan {field} = [{capacity}] of {{ {} }}", self.fields(*messages))));
        }
        for field in &mut typedef.fields {
            if matches!(field.1, Kind::Unsigned(_)) {
                field.2 = None;
            }
        }
        node.blocks.push(crate::spin::tree::Block { open: String::new(), items });
        self.typedefs.push(typedef);
        node
    }

    /// The fields of messages, as a declaration has them.
    pub(super) fn fields(&self, messages: usize) -> String {
        let word = |kind: &Kind| match kind {
            Kind::Chan(_) => "chan".to_owned(),
            Kind::Struct(typedef) => self.typedefs[*typedef].name.clone(),
            _ => kind.word().to_owned(),
        };
        self.messages[messages].iter().map(word).collect::<Vec<_>>().join(", ")
    }

    /// A variable of an integer type, or an array of them.
    pub(super) fn declare_variable(&mut self, global: bool) -> Node {
        let kind = self.kind();
        self.declare_variable_of(kind, global)
    }

    fn declare_variable_of(&mut self, kind: Kind, global: bool) -> Node {
        let name = self.name(if global { "g" } else { "l" });
        let mut features = vec![kind.feature()];
        let array = !matches!(kind, Kind::Unsigned(_)) && self.maybe("array", 25);
        let mut text = self.declared(kind, &name);
        if array {
            features.push("array");
            text += "[2]";
        }
        for (prefix, word) in [("show", "show "), ("local-prefix", "local ")] {
            if global && self.maybe(prefix, 8) {
                text = format!("{word}{text}");
                features.push(prefix);
                break;
            }
        }
        if self.random.chance(40) {
            let fields = (self.fitting(kind), self.fitting(kind));
            let symbols = matches!(kind, Kind::Mtype | Kind::Named);
            if array && self.maybe("array-initialiser", 60) && !symbols {
                text += &format!(" = {{ {}, {} }}", self.random.below(2), self.random.below(2));
                features.push("array-initialiser");
            } else if symbols {
                text += if kind == Kind::Named { " = up" } else { " = red" };
            } else if fields.0.parse::<u32>().is_ok() {
                text += &format!(" = {}", fields.0);
            }
        }
        self.features.clear();
        self.used.clear();
        if array {
            self.scope.arrays.push((name.clone(), 2));
        }
        self.add_variable(&name, kind, array, &features);
        let mut node = Node::leaf(text);
        node.features = features;
        node
    }

    fn add_variable(&mut self, name: &str, kind: Kind, array: bool, features: &[Feature]) {
        let wide_bit = array && matches!(kind, Kind::Bit | Kind::Bool);
        let var = |path, computed| Var { path, kind, features: features.to_vec(), fixed: false, wide_bit, computed };
        if !array {
            self.scope.vars.push(var(name.to_owned(), false));
            return;
        }
        self.scope.vars.extend([var(format!("{name}[0]"), false), var(format!("{name}[1]"), false)]);
        let index =
            self.scope.vars.iter().filter(|v| !v.path.contains(['[', '.'])).map(|v| v.path.clone()).collect::<Vec<_>>();
        if self.on("array-computed-index") && !index.is_empty() {
            let index = self.random.pick(&index).clone();
            let mut computed = var(format!("{name}[{index} & 1]"), true);
            computed.features.push("array-computed-index");
            self.scope.vars.push(computed);
        }
    }

    /// A variable of a typedef; all its scalars and channels become visible.
    pub(super) fn declare_struct(&mut self, global: bool) -> Option<Node> {
        if self.typedefs.is_empty() {
            return None;
        }
        let typedef = self.random.below(self.typedefs.len());
        Some(self.declare_struct_of(typedef, global))
    }

    pub(super) fn declare_struct_of(&mut self, typedef: usize, global: bool) -> Node {
        let name = self.name(if global { "s" } else { "z" });
        let array = self.maybe("typedef-array", 20);
        let mut features = self.typedefs[typedef].features.clone();
        let text = format!("{}{}", self.declared(Kind::Struct(typedef), &name), if array { "[2]" } else { "" });
        if array {
            features.push("typedef-array");
        }
        for path in if array { vec![format!("{name}[0]"), format!("{name}[1]")] } else { vec![name] } {
            self.add_struct(&path, typedef, &features);
        }
        let mut node = Node::leaf(text);
        node.features = features;
        node
    }

    pub(super) fn add_struct(&mut self, path: &str, typedef: usize, features: &[Feature]) {
        self.scope.structs.push(StructVar { path: path.to_owned(), typedef, features: features.to_vec() });
        let description = self.typedefs[typedef].clone();
        for (field, kind, array) in description.fields {
            let path = format!("{path}.{field}");
            if let Kind::Struct(inner) = kind {
                let paths = if array.is_some() { vec![format!("{path}[0]"), format!("{path}[1]")] } else { vec![path] };
                let mut features = features.to_vec();
                features.push("typedef-nested");
                for path in paths {
                    self.add_struct(&path, inner, &features);
                }
                continue;
            }
            let mut features = features.to_vec();
            features.push(kind.feature());
            if array.is_some() {
                features.push("typedef-array-field");
            }
            self.add_variable(&path, kind, array.is_some(), &features);
        }
        for (field, messages, capacity) in description.channels {
            let path = format!("{path}.{field}");
            self.scope.chans.push(Chan { path, messages, capacity: Some(capacity), features: features.to_vec() });
        }
    }

    /// A channel or an array of channels.
    pub(super) fn declare_channel(&mut self, place: Feature) -> Node {
        let global = place == "channel";
        let name = self.name(if global { "c" } else { "k" });
        let messages = self.random.below(self.messages.len());
        let capacity = if self.maybe("rendezvous", 30) && !self.place.d_step { 0 } else { 1 + self.random.below(2) };
        let mut features = vec![place];
        if capacity == 0 {
            features.push("rendezvous");
        }
        let kind = if global { "channel-array" } else { "channel-local-array" };
        let array = self.maybe(kind, 20);
        if array {
            features.push(kind);
        }
        let length = if array { "[2]" } else { "" };
        let text = format!("chan {name}{length} = [{capacity}] of {{ {} }}", self.fields(messages));
        for path in if array { vec![format!("{name}[0]"), format!("{name}[1]")] } else { vec![name.clone()] } {
            self.scope.chans.push(Chan { path, messages, capacity: Some(capacity), features: features.clone() });
        }
        let mut node = Node::leaf(text);
        node.features = features;
        node.channels.push(name);
        node
    }

    /// Runs `build` and forgets what it declared.
    pub(super) fn scoped<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> T {
        let before: Scope = self.scope.clone();
        let built = build(self);
        self.scope = before;
        built
    }
}
