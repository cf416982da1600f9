//! The states of one shape, taken apart into cells, and what an exchange of processes does to them.
//!
//! A *cell* is a scalar: the location of a process, a variable, an element of an array. It has a *kind* (which variable it is) and
//! *coordinates*: the processes it belongs to, as part of their own memory or as what stands at an index that names them. An
//! exchange moves each cell to the one of the same kind whose coordinates are the exchanged processes, and renames the processes in
//! its value. Queues are moved, and messages renamed, in the same way.

use super::sorts::{Class, Name, Sorts};
use model::ids::MachineId;
use model::network::{Initial, Network, ScalarType, Variable};
use model::semantics::{Anatomy, ScalarPlace, Storage};
use std::collections::HashMap;

/// What the value of a cell, or of a field of a message, names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// Nothing.
    Plain,
    /// A process, in a class.
    Process(usize),
    /// A channel.
    Channel,
}

/// Where a cell or a queue belongs.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// What it is but for the processes.
    pub(super) kind: u32,
    /// The processes, by their numbers.
    pub(super) coordinates: Vec<u32>,
}

#[derive(Debug)]
pub(super) struct Cell {
    pub(super) site: Site,
    pub(super) sort: Sort,
    storage: Storage,
    address: usize,
}

impl Cell {
    pub(super) fn load(&self, state: &[u8]) -> i32 {
        self.storage.load(state, self.address)
    }
}

#[derive(Debug)]
pub(super) struct Queue {
    pub(super) site: Site,
    channel_type: usize,
    length: usize,
}

/// The size of the messages of a channel type, and their fields: how each is stored, where, and what it names.
type Message = (usize, Vec<(Storage, usize, Sort)>);

/// Where an exchange of processes takes things.
#[derive(Debug)]
pub(super) struct Exchange {
    /// By process, which one it becomes.
    pub(super) processes: Vec<u32>,
    cells: Vec<usize>,
    /// By queue, where it goes.
    pub(super) queues: Vec<usize>,
    /// By queue, what comes to its place.
    sources: Vec<usize>,
}

/// The values of a class that name processes that can be exchanged.
#[derive(Debug)]
pub(super) struct Names {
    class: Class,
    process_of: HashMap<i32, u32>,
    value_of: HashMap<u32, i32>,
}

impl Names {
    pub(super) fn process(&self, value: i32) -> Option<u32> {
        self.process_of.get(&value).copied()
    }
}

/// The cells of the states of one shape, in which processes have the same names.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) cells: Vec<Cell>,
    pub(super) queues: Vec<Queue>,
    /// By class.
    pub(super) names: HashMap<usize, Names>,
    /// Processes that can be exchanged with each other.
    pub(super) groups: Vec<Vec<u32>>,
    /// By channel type.
    messages: Vec<Message>,
    cell_at: HashMap<(u32, Vec<u32>), usize>,
    queue_at: HashMap<(u32, Vec<u32>), usize>,
    length: Storage,
    /// Where messages start.
    fixed: usize,
    /// The parameters that name processes, as they are: what is here was made for states in which they are the same.
    parameters: Vec<(Storage, usize, i32)>,
}

/// What can be exchanged in states of one shape, and where their cells are.
pub(super) struct Maker<'a> {
    pub(super) network: &'a Network,
    pub(super) sorts: &'a Sorts,
    pub(super) anatomy: &'a Anatomy,
    pub(super) state: &'a [u8],
}

impl Maker<'_> {
    /// The cells of states like this one; `None` if no processes can be exchanged in them.
    pub(super) fn cells(&self) -> Option<Cells> {
        let groups: Vec<Vec<u32>> = self.groups().into_values().filter(|group| group.len() > 1).collect();
        let names = self.names(&groups);
        let mut cells = Cells {
            cells: Vec::new(),
            queues: Vec::new(),
            groups,
            messages: Vec::new(),
            cell_at: HashMap::new(),
            queue_at: HashMap::new(),
            length: self.anatomy.length,
            fixed: self.anatomy.processes.last().map_or(self.anatomy.start, |process| process.end) as usize,
            parameters: self.parameters(),
            names,
        };
        let mut kinds = HashMap::new();
        self.add(&mut cells, &mut kinds, None);
        for process in 0..self.anatomy.processes.len() {
            self.add(&mut cells, &mut kinds, Some(process));
        }
        cells.messages = (0..self.anatomy.messages.len()).map(|kind| self.message(kind, &cells)).collect();
        (!cells.groups.is_empty()).then_some(cells)
    }

    /// The processes of each type that can be exchanged.
    fn groups(&self) -> HashMap<MachineId, Vec<u32>> {
        let mut groups: HashMap<MachineId, Vec<u32>> = HashMap::new();
        for (number, process) in (0u32..).zip(&self.anatomy.processes) {
            if self.sorts.fixed[process.machine.index()].is_none() {
                groups.entry(process.machine).or_default().push(number);
            }
        }
        // Their numbers must not be constants of the model, and be an index wherever they are one.
        groups.retain(|&machine, group| {
            let number = self.sorts.of_number(machine);
            let class = self.sorts.classes().find(|(root, _)| *root == number);
            class.is_some_and(|(_, class)| group.iter().all(|&process| class.takes(process as i32)))
        });
        groups
    }

    fn parameter(&self, process: u32, parameter: usize) -> (Storage, usize, i32) {
        let place = self.anatomy.processes[process as usize];
        let variable = self.anatomy.locals[place.machine.index()][parameter];
        let (storage, address) = located(&variable, place.base, 0);
        (storage, address, storage.load(self.state, address))
    }

    /// All parameters that name processes.
    fn parameters(&self) -> Vec<(Storage, usize, i32)> {
        let mut parameters = Vec::new();
        for name in self.sorts.classes().flat_map(|(_, class)| &class.names) {
            let Name::Parameter(machine, parameter) = *name else { continue };
            let processes = (0u32..).zip(&self.anatomy.processes).filter(|(_, process)| process.machine == machine);
            parameters.extend(processes.map(|(process, _)| self.parameter(process, parameter)));
        }
        parameters
    }

    /// What names processes that can be exchanged. Where two have one name, or a name is a constant of the model, the values of the
    /// class stay as they are.
    fn names(&self, groups: &[Vec<u32>]) -> HashMap<usize, Names> {
        let mut names = HashMap::new();
        for (root, class) in self.sorts.classes() {
            let mut of_class = Names { class: class.clone(), process_of: HashMap::new(), value_of: HashMap::new() };
            let mut total = 0;
            for &process in groups.iter().flatten() {
                let machine = self.anatomy.processes[process as usize].machine;
                for name in &class.names {
                    let value = match *name {
                        Name::Number(of) if of == machine => process as i32,
                        Name::Parameter(of, parameter) if of == machine => self.parameter(process, parameter).2,
                        _ => continue,
                    };
                    total += 1;
                    of_class.process_of.insert(value, process);
                    of_class.value_of.insert(process, value);
                }
            }
            let differ = of_class.process_of.len() == total;
            if total > 0 && differ && of_class.process_of.keys().all(|&value| class.takes(value)) {
                names.insert(root, of_class);
            }
        }
        names
    }

    /// The variables and queues of a process, or of all.
    fn add(&self, cells: &mut Cells, kinds: &mut HashMap<Vec<u32>, u32>, process: Option<usize>) {
        let place = process.map(|process| self.anatomy.processes[process]);
        let machine = place.map(|place| place.machine);
        let member = process.filter(|process| cells.groups.iter().flatten().any(|&one| one as usize == *process));
        // Which process it is, but for those that can be exchanged.
        let owner = match (process, member) {
            (None, _) => vec![0],
            (Some(process), None) => vec![1, process as u32],
            (Some(_), Some(_)) => vec![2, machine.map_or(0, |machine| machine.0)],
        };
        let own: Vec<u32> = member.map(|process| process as u32).into_iter().collect();
        let mut kind = |parts: Vec<u32>| {
            let next = kinds.len() as u32;
            *kinds.entry(owner.iter().copied().chain(parts).collect()).or_insert(next)
        };
        if let Some(place) = place {
            let site = Site { kind: kind(vec![u32::MAX]), coordinates: own.clone() };
            cells.push(Cell { site, sort: Sort::Plain, storage: place.location, address: place.base as usize });
        }
        let (variables, places, first_queues, first): (&[Variable], &[ScalarPlace], &[u32], u32) =
            match (place, machine) {
                (Some(place), Some(machine)) => (
                    &self.network.machine(machine).variables,
                    &self.anatomy.locals[machine.index()],
                    &self.anatomy.first_queues[machine.index()],
                    place.first_queue,
                ),
                _ => (&self.network.variables, &self.anatomy.globals, &self.anatomy.global_first_queues, 0),
            };
        for (number, (variable, scalar)) in variables.iter().zip(places).enumerate() {
            let (class, indices) = self.sorts.of_variable(machine, number);
            let sort = self.sort(class, variable.ty, cells);
            for element in 0..variable.len() {
                let (mut parts, mut coordinates) = (vec![number as u32], own.clone());
                for (index, class) in split(variable, element).into_iter().zip(&indices) {
                    match cells.names.get(class).and_then(|names| names.process(index as i32)) {
                        Some(process) => {
                            parts.push(u32::MAX);
                            coordinates.push(process);
                        }
                        None => parts.push(index),
                    }
                }
                let site = Site { kind: kind(parts), coordinates };
                let (storage, address) = located(scalar, place.map_or(0, |place| place.base), element);
                if matches!(variable.initial, Initial::NewChannel(_)) {
                    let queue = (first + first_queues[number]) as usize + element;
                    let place = self.anatomy.queues[queue];
                    let (channel_type, length) = (place.channel_type.index(), place.length as usize);
                    cells.push_queue(queue, Queue { site: site.clone(), channel_type, length });
                }
                cells.push(Cell { site, sort, storage, address });
            }
        }
    }

    fn sort(&self, class: usize, ty: ScalarType, cells: &Cells) -> Sort {
        match ty {
            ScalarType::Channel if class == self.sorts.of_channels() => Sort::Channel,
            _ if cells.names.contains_key(&class) => Sort::Process(class),
            _ => Sort::Plain,
        }
    }

    fn message(&self, kind: usize, cells: &Cells) -> Message {
        let places = &self.anatomy.messages[kind];
        let field = |(number, &(storage, offset, ty)): (usize, &(Storage, usize, ScalarType))| {
            (storage, offset, self.sort(self.sorts.of_field(kind, number), ty, cells))
        };
        let size = if places.capacity == 0 { 0 } else { places.size };
        (size, places.fields.iter().enumerate().map(field).collect())
    }
}

/// The indices of an element of an array.
fn split(variable: &Variable, element: usize) -> Vec<u32> {
    let (mut rest, mut indices) = (element as u32, vec![0; variable.dimensions.len()]);
    for (index, dimension) in indices.iter_mut().zip(&variable.dimensions).rev() {
        (*index, rest) = (rest % dimension.len, rest / dimension.len);
    }
    indices
}

/// Where an element of a variable is, in a section that starts at `base`.
fn located(place: &ScalarPlace, base: u32, element: usize) -> (Storage, usize) {
    let (unit, step) = if place.storage == Storage::Bit { (8, 1) } else { (1, place.storage.bytes()) };
    (place.storage, (place.address + base * unit) as usize + element * step)
}

impl Cells {
    fn push(&mut self, cell: Cell) {
        self.cell_at.insert((cell.site.kind, cell.site.coordinates.clone()), self.cells.len());
        self.cells.push(cell);
    }

    /// Queues come in the order of their numbers.
    fn push_queue(&mut self, number: usize, queue: Queue) {
        debug_assert_eq!(number, self.queues.len());
        self.queue_at.insert((queue.site.kind, queue.site.coordinates.clone()), number);
        self.queues.push(queue);
    }

    /// Whether this was made for states like this one.
    pub(super) fn fit(&self, state: &[u8]) -> bool {
        self.parameters.iter().all(|&(storage, address, value)| storage.load(state, address) == value)
    }

    /// Whether every value that may name a process stays what it is wherever it is stored.
    pub(super) fn are_stable(&self, state: &[u8]) -> bool {
        let is_stable = |cell: &Cell| match cell.sort {
            Sort::Process(class) => self.names[&class].class.keeps(cell.load(state)),
            _ => true,
        };
        let mut stable = self.cells.iter().all(is_stable);
        self.each_field(state, &mut |_, _, _, sort, value| {
            if let Sort::Process(class) = sort {
                stable &= self.names[&class].class.keeps(value);
            }
        });
        stable
    }

    /// Shows every field of every message: the queue, the position, the field, what it names, and its value.
    pub(super) fn each_field(&self, state: &[u8], visit: &mut dyn FnMut(usize, usize, usize, Sort, i32)) {
        let mut at = self.fixed;
        for (number, queue) in self.queues.iter().enumerate() {
            let (size, fields) = &self.messages[queue.channel_type];
            for position in 0..self.queue_length(queue, state) {
                for (field, &(storage, offset, sort)) in fields.iter().enumerate() {
                    visit(number, position, field, sort, storage.load(state, at + offset));
                }
                at += size;
            }
        }
    }

    pub(super) fn queue_length(&self, queue: &Queue, state: &[u8]) -> usize {
        self.length.load(state, queue.length) as usize
    }

    /// Where everything goes when each process becomes the one that `to` says.
    pub(super) fn exchange(&self, to: &[u32]) -> Exchange {
        let moved = |site: &Site| {
            (site.kind, site.coordinates.iter().map(|&process| to[process as usize]).collect::<Vec<u32>>())
        };
        let queues: Vec<usize> = self.queues.iter().map(|queue| self.queue_at[&moved(&queue.site)]).collect();
        let mut sources = vec![0; queues.len()];
        queues.iter().enumerate().for_each(|(from, &to)| sources[to] = from);
        let cells = self.cells.iter().map(|cell| self.cell_at[&moved(&cell.site)]).collect();
        Exchange { processes: to.to_vec(), cells, queues, sources }
    }

    /// The state after an exchange.
    pub(super) fn exchanged(&self, state: &[u8], exchange: &Exchange, after: &mut Vec<u8>) {
        after.clear();
        after.extend_from_slice(&state[..self.fixed]);
        for (cell, &to) in self.cells.iter().zip(&exchange.cells) {
            let target = &self.cells[to];
            target.storage.store(after, target.address, self.renamed(cell.sort, cell.load(state), exchange));
        }
        let mut starts = Vec::with_capacity(self.queues.len());
        let mut at = self.fixed;
        for queue in &self.queues {
            starts.push(at);
            at += self.queue_length(queue, state) * self.messages[queue.channel_type].0;
        }
        for (queue, &from) in self.queues.iter().zip(&exchange.sources) {
            let source = &self.queues[from];
            let (count, (size, fields)) = (self.queue_length(source, state), &self.messages[source.channel_type]);
            self.length.store(after, queue.length, count as i32);
            for position in 0..count {
                let (from, start) = (starts[from] + position * size, after.len());
                after.extend_from_slice(&state[from..from + size]);
                for &(storage, offset, sort) in fields {
                    let value = storage.load(state, from + offset);
                    storage.store(after, start + offset, self.renamed(sort, value, exchange));
                }
            }
        }
    }

    fn renamed(&self, sort: Sort, value: i32, exchange: &Exchange) -> i32 {
        match sort {
            Sort::Plain => value,
            Sort::Process(class) => {
                let names = &self.names[&class];
                let new =
                    names.process(value).and_then(|process| names.value_of.get(&exchange.processes[process as usize]));
                new.copied().unwrap_or(value)
            }
            // Channels are numbered from 1.
            Sort::Channel => {
                let queue = exchange.queues.get((value as usize).wrapping_sub(1));
                queue.map_or(value, |&queue| queue as i32 + 1)
            }
        }
    }
}
