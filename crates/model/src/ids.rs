//! Ids are types: a [`LocationId`] is not a [`ChannelTypeId`], and the compiler knows it.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into the table it belongs to.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> Self {
                $name(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    };
}

id! {
    /// A machine of the network: a process type, a capsule, an automaton.
    MachineId
}
id! {
    /// A location of one machine.
    LocationId
}
id! {
    /// An edge of one machine.
    EdgeId
}
id! {
    /// A variable, either of the network or of one machine: the scope says which.
    VariableId
}
id! {
    /// A kind of channel: its capacity and the types of its fields. Channels themselves are created at run time.
    ChannelTypeId
}
id! {
    /// A set of symbolic constants (`mtype`).
    SymbolSetId
}
id! {
    /// An event of a composition.
    EventId
}
id! {
    /// A proposition about the states of a composition.
    PropositionId
}
