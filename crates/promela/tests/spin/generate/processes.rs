//! Processes, and the model as a whole.

use super::{Chan, Generator, Kind, Place, Runnable, Scope, Var};
use crate::spin::tree::{Block, Feature, Node};

impl Generator {
    pub(super) fn model(&mut self) -> Vec<Node> {
        let mut model = vec![Node::leaf("mtype = { red, green, blue };"), Node::leaf("mtype:way = { up, down };")];
        model.push(Node::leaf("#define LOW(x) ((x) < 2)"));
        self.declare_messages();
        model.extend(self.declare_typedefs());
        let globals = self.globals();
        model.extend(globals.into_iter().map(ended));
        let (runnable, active, with_init) = self.plan();
        for _ in 0..runnable {
            self.announce();
        }
        let mut processes = Vec::new();
        let mut started = 0;
        for index in 0..active {
            self.own = Some(started);
            let process = self.process(index == 0, None);
            started += 1 + usize::from(process.features.contains(&"active-many"));
            processes.push(process);
        }
        self.own = None;
        for runnable in self.runnables.clone() {
            processes.push(self.process(false, Some(runnable)));
        }
        if with_init {
            self.own = Some(started);
            processes.push(self.init());
        }
        // An inline is defined before it is used, also by another one.
        model.append(&mut self.inlines);
        model.extend(processes);
        model
    }

    /// How many process types are run, how many are active, and whether there is an `init`.
    fn plan(&mut self) -> (usize, usize, bool) {
        let runs = ["run", "run-expression", "run-in-loop"].iter().any(|f| self.on(f));
        let runnable = if runs { usize::from(self.random.chance(75)) + usize::from(self.random.chance(15)) } else { 0 };
        let with_init = self.maybe("init", 40);
        let active =
            usize::from(!with_init) + usize::from(self.random.chance(60)) + usize::from(self.random.chance(15));
        (runnable, active, with_init)
    }

    fn globals(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            nodes.push(self.declare_variable(true));
        }
        if self.maybe("hidden", 20) {
            let name = self.name("h");
            nodes.push(Node::leaf(format!("hidden byte {name}")));
            self.hidden.push(name);
        }
        // SPIN's verifier does not compile if there is a typedef with a channel, and no variable of it.
        let with_channel = self.typedefs.iter().position(|t| !t.channels.is_empty());
        if let Some(typedef) = with_channel {
            nodes.push(self.declare_struct_of(typedef, true));
        } else if self.maybe("typedef", 50) {
            nodes.extend(self.declare_struct(true));
        }
        let channels = usize::from(self.maybe("channel", 85)) + usize::from(self.maybe("channel", 50));
        for _ in 0..channels {
            nodes.push(self.declare_channel("channel"));
        }
        if self.on("for-channel") && self.on("channel") {
            nodes.extend(self.channel_of_typedef().into_iter().flatten());
        }
        nodes
    }

    /// A channel, and a variable for its messages.
    fn channel_of_typedef(&mut self) -> Option<[Node; 2]> {
        let messages = self.messages.iter().position(|m| matches!(m[0], Kind::Struct(_)))?;
        let Kind::Struct(typedef) = self.messages[messages][0] else { return None };
        let variable = self.declare_struct_of(typedef, true);
        let name = self.name("c");
        let features = vec!["channel", "channel-of-typedef"];
        self.scope.chans.push(Chan { path: name.clone(), messages, capacity: Some(1), features: features.clone() });
        let mut node = Node::leaf(format!("chan {name} = [1] of {{ {} }}", self.fields(messages)));
        node.features = features;
        Some([variable, node])
    }

    /// Decides name and parameters of a process type that can be run.
    fn announce(&mut self) {
        let (name, parameters) = (self.name("R"), self.parameter_kinds());
        self.runnables.push(Runnable { name, parameters });
    }

    fn parameter_kinds(&mut self) -> Vec<Kind> {
        let mut parameters = Vec::new();
        let ints = [
            ("param-bit", Kind::Bit),
            ("param-bool", Kind::Bool),
            ("param-byte", Kind::Byte),
            ("param-short", Kind::Short),
            ("param-int", Kind::Int),
            ("param-mtype", Kind::Mtype),
            ("param-pid", Kind::Pid),
        ];
        for (feature, kind) in ints {
            if self.maybe(feature, 20) {
                parameters.push(kind);
            }
        }
        let messages: Vec<usize> = self.scope.chans.iter().map(|c| c.messages).collect();
        if !messages.is_empty() && self.maybe("param-chan", 40) {
            parameters.push(Kind::Chan(*self.random.pick(&messages)));
        }
        // SPIN refuses arrays inside of a parameter.
        let arrays = |t: &super::Typedef| t.fields.iter().any(|f| f.2.is_some());
        let inner =
            |t: &super::Typedef| t.fields.iter().any(|f| matches!(f.1, Kind::Struct(i) if arrays(&self.typedefs[i])));
        let plain = |t: &super::Typedef| !arrays(t) && !inner(t);
        let there = |t: &usize| self.scope.structs.iter().any(|s| s.typedef == *t);
        let typedefs: Vec<usize> = (0..self.typedefs.len()).filter(|t| plain(&self.typedefs[*t]) && there(t)).collect();
        if !typedefs.is_empty() && self.maybe("param-typedef", 40) {
            parameters.push(Kind::Struct(*self.random.pick(&typedefs)));
        }
        parameters
    }

    /// Declares the parameters; returns their text.
    fn parameters(&mut self, kinds: &[Kind], features: &mut Vec<Feature>) -> String {
        let active = features.contains(&"active");
        let mut texts = Vec::new();
        for kind in kinds {
            let name = self.name("p");
            texts.push(self.declared(*kind, &name));
            let feature = match kind {
                Kind::Bit => "param-bit",
                Kind::Bool => "param-bool",
                Kind::Byte => "param-byte",
                Kind::Short => "param-short",
                Kind::Int => "param-int",
                Kind::Mtype => "param-mtype",
                Kind::Pid => "param-pid",
                Kind::Chan(_) => "param-chan",
                _ => "param-typedef",
            };
            features.push(feature);
            match kind {
                // There is no channel in it.
                Kind::Chan(_) if active => {}
                Kind::Chan(messages) => {
                    let chan = Chan { path: name, messages: *messages, capacity: None, features: vec!["param-chan"] };
                    self.scope.chans.push(chan);
                }
                Kind::Struct(typedef) => {
                    let mut inner = vec!["param-typedef"];
                    inner.extend(self.typedefs[*typedef].features.clone());
                    if !self.typedefs[*typedef].channels.is_empty() {
                        inner.push("param-typedef-channel");
                    }
                    self.add_struct(&name, *typedef, &inner);
                }
                _ => self.scope.vars.push(Var {
                    path: name,
                    kind: *kind,
                    features: vec![feature],
                    fixed: false,
                    wide_bit: false,
                    computed: false,
                }),
            }
        }
        texts.join("; ")
    }

    fn process(&mut self, first: bool, runnable: Option<Runnable>) -> Node {
        let before: Scope = self.scope.clone();
        let name = runnable.as_ref().map_or_else(|| self.name("P"), |r| r.name.clone());
        self.process.clone_from(&name);
        let mut features = Vec::new();
        let mut head = String::new();
        if runnable.is_none() {
            features.push("active");
            head += "active ";
            if !first && self.maybe("active-many", 20) {
                features.push("active-many");
                head += "[2] ";
            }
        }
        // A parameter of an active process is zero, or a fresh typedef.
        let kinds = match runnable {
            Some(runnable) => runnable.parameters,
            None if self.maybe("active-parameter", 15) => self.parameter_kinds(),
            None => Vec::new(),
        };
        if features.contains(&"active") && !kinds.is_empty() {
            features.push("active-parameter");
        }
        let parameters = self.parameters(&kinds, &mut features);
        head += &format!("proctype {name}({parameters})");
        head += &self.constraints(&mut features);
        // A process type that runs itself seldom has few states.
        self.runs = if features.contains(&"active") || self.random.chance(15) { 0 } else { 3 };
        if features.contains(&"active-many") {
            self.own = None;
        }
        let mut body = self.body();
        if first {
            self.start_all(&mut body);
            self.add_label(&mut body);
            let variables = self.locals_of(&body);
            let labels = body
                .iter()
                .filter_map(|n| n.head.split_once(": ").map(|(l, _)| l.to_owned()))
                .filter(|l| !l.contains(' '))
                .collect();
            self.first = Some((name.clone(), variables, labels));
        }
        self.scope = before;
        let block = Block { open: String::new(), items: body };
        Node {
            head: head + " {",
            blocks: vec![block],
            tail: "}".to_owned(),
            features,
            process: Some(name),
            ..Node::default()
        }
    }

    /// Priority and `provided`, over what is global.
    fn constraints(&mut self, features: &mut Vec<Feature>) -> String {
        let mut text = String::new();
        if self.maybe("priority", 50) {
            features.push("priority");
            text += &format!(" priority {}", 1 + self.random.below(3));
        }
        if self.maybe("provided", 15) {
            let globals: Vec<Var> =
                self.scope.vars.iter().filter(|v| v.path.starts_with('g') && !v.computed).cloned().collect();
            if !globals.is_empty() {
                features.push("provided");
                let var = self.random.pick(&globals).path.clone();
                let operator = *self.random.pick(&["<", "<=", "!=", ">="]);
                text += &format!(" provided ({var} {operator} {})", self.random.below(3));
            }
        }
        text
    }

    /// Scalars of the first process that another one can refer to.
    fn locals_of(&self, body: &[Node]) -> Vec<String> {
        let declared = |n: &&Node| n.blocks.is_empty() && !n.head.contains(['[', '=', ':', '(', '!', '?']);
        body.iter()
            .filter(declared)
            .filter_map(|n| n.head.split_once(' ').map(|(_, name)| name.to_owned()))
            .filter(|name| name.starts_with('l') && self.scope.vars.iter().any(|v| v.path == *name))
            .collect()
    }

    fn locals(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..self.random.below(3) {
            nodes.push(self.declare_variable(false));
        }
        if self.maybe("typedef", 30) {
            nodes.extend(self.declare_struct(false));
        }
        if self.maybe("channel-local", 25) {
            nodes.push(self.declare_channel("channel-local"));
        }
        if self.maybe("chan-variable", 30) {
            nodes.extend(self.channel_variable());
        }
        if !self.claims && self.maybe("xr-xs", 20) {
            let globals: Vec<String> = self
                .scope
                .chans
                .iter()
                .filter(|c| c.path.starts_with('c') && !c.path.contains('['))
                .map(|c| c.path.clone())
                .collect();
            if !globals.is_empty() {
                let mut node =
                    Node::leaf(format!("{} {}", self.random.pick(&["xr", "xs"]), self.random.pick(&globals)));
                node.features.push("xr-xs");
                self.claims = true;
                nodes.push(node);
            }
        }
        nodes
    }

    /// A variable that has a channel from the beginning.
    fn channel_variable(&mut self) -> Option<Node> {
        let other = self.typed_channel(|_| true)?;
        self.features.clear();
        self.used.clear();
        let name = self.name("v");
        let features = vec!["chan-variable"];
        let chan = Chan { path: name.clone(), messages: other.messages, capacity: None, features: features.clone() };
        self.scope.chans.push(chan);
        let mut node = Node::leaf(format!("chan {name}; {name} = {}", other.path));
        node.features = features;
        Some(node)
    }

    fn body(&mut self) -> Vec<Node> {
        self.place = Place::default();
        self.labels.clear();
        self.forward.clear();
        self.counters.clear();
        let mut items = self.locals();
        let length = 2 + self.random.below(3);
        let depth = 1 + self.random.below(3);
        let statements = self.sequence(length, depth);
        for counter in std::mem::take(&mut self.counters) {
            items.push(Node::leaf(format!("byte {counter}")));
        }
        items.extend(statements);
        for label in std::mem::take(&mut self.forward) {
            let mut last = self.labelled_last(&label);
            last.features.push("label");
            items.push(last);
        }
        items
    }

    /// A label that another process may refer to.
    fn add_label(&mut self, body: &mut Vec<Node>) {
        if self.on("remote-label") {
            let label = self.name("M");
            let last = self.labelled_last(&label);
            body.push(last);
        }
    }

    /// Runs each process type that can be run, near the beginning.
    fn start_all(&mut self, body: &mut Vec<Node>) {
        self.place = Place::default();
        for _ in 0..self.runnables.len() {
            self.runs = 0;
            self.features.clear();
            self.used.clear();
            let node = if self.maybe("run-expression", 30) { self.run_expression() } else { self.run() };
            if let Some(node) = node {
                let after = self.declarations(body) + self.random.below(2);
                body.insert(after.min(body.len()), node);
            }
        }
        self.features.clear();
        self.used.clear();
    }

    fn labelled_last(&mut self, label: &str) -> Node {
        let mut node = self.statement(0);
        if node.head.starts_with("d_step") || node.head.starts_with("goto") {
            node = Node::leaf("skip");
        }
        node.head = format!("{label}: {}", node.head);
        node
    }

    fn init(&mut self) -> Node {
        let before: Scope = self.scope.clone();
        self.process = ":init:".to_owned();
        let mut features = vec!["init"];
        let mut head = "init".to_owned();
        if self.maybe("priority", 50) {
            features.push("priority");
            head += &format!(" priority {}", 1 + self.random.below(3));
        }
        self.runs = 0;
        let mut body = self.body();
        self.start_all(&mut body);
        self.scope = before;
        let block = Block { open: String::new(), items: body };
        Node {
            head: head + " {",
            blocks: vec![block],
            tail: "}".to_owned(),
            features,
            process: Some(":init:".to_owned()),
            ..Node::default()
        }
    }

    /// How many of the first nodes are declarations.
    fn declarations(&self, body: &[Node]) -> usize {
        let words =
            ["bit ", "bool ", "byte ", "short ", "int ", "unsigned ", "mtype", "pid ", "chan ", "xr ", "xs ", "T"];
        body.iter().take_while(|n| words.iter().any(|w| n.head.starts_with(w))).count()
    }
}

fn ended(mut node: Node) -> Node {
    node.head += ";";
    node
}
