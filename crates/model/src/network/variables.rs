//! What a network holds: the types of scalars, variables with their first values, and kinds of channels.

use crate::expr::Expr;
use crate::ids::{ChannelTypeId, SymbolSetId};
use crate::source::Span;

/// What a scalar can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ScalarType {
    /// 0 or 1.
    Bit,
    /// 0 to 255.
    Byte,
    /// A process number: a byte.
    Pid,
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
    /// So many bits, unsigned.
    Unsigned(u8),
    /// A symbolic constant of a set: a byte.
    Symbol(SymbolSetId),
    /// A reference to a channel; 0 is none.
    Channel,
}

impl ScalarType {
    /// The number of bits.
    pub fn bits(self) -> u8 {
        match self {
            ScalarType::Bit => 1,
            ScalarType::Byte | ScalarType::Pid | ScalarType::Symbol(_) | ScalarType::Channel => 8,
            ScalarType::Short => 16,
            ScalarType::Int => 32,
            ScalarType::Unsigned(bits) => bits,
        }
    }

    /// The value as it is after being stored: cut to the width, with the sign if there is one.
    #[inline(always)]
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            ScalarType::Bit => value & 1,
            ScalarType::Byte | ScalarType::Pid | ScalarType::Symbol(_) => value & 0xff,
            ScalarType::Channel => value & 0xffff,
            ScalarType::Short => i32::from(value as i16),
            ScalarType::Int => value,
            ScalarType::Unsigned(bits) if bits >= 32 => value,
            ScalarType::Unsigned(bits) => value & (1i32 << bits).wrapping_sub(1),
        }
    }

    /// The name as a user writes it.
    pub fn name(self) -> String {
        match self {
            ScalarType::Bit => "bit".into(),
            ScalarType::Byte => "byte".into(),
            ScalarType::Pid => "pid".into(),
            ScalarType::Short => "short".into(),
            ScalarType::Int => "int".into(),
            ScalarType::Unsigned(bits) => format!("unsigned : {bits}"),
            ScalarType::Symbol(_) => "mtype".into(),
            ScalarType::Channel => "chan".into(),
        }
    }
}

/// A set of symbolic constants; the constant at index `i` has the value `i + 1`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SymbolSet {
    /// The name of the set, empty for the unnamed one.
    pub name: String,
    /// The constants by value, from 1.
    pub symbols: Vec<String>,
}

/// One dimension of a variable: an array that it is, or lies in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// The number of elements.
    pub len: u32,
    /// The number of characters of the variable's name after which the index is written:
    /// 1 and 3 for `a.b` shown as `a[0].b[1]`.
    pub name_end: u32,
}

/// What a variable starts with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initial {
    /// Zero, or no channel.
    Zero,
    /// Every element has the value of this expression; for a local variable it may read parameters, and locals
    /// declared earlier, and globals.
    Value(Expr),
    /// One value per element; the rest repeat the last.
    List(Vec<i32>),
    /// Every element is a channel of its own.
    NewChannel(ChannelTypeId),
}

/// A variable of the network or of a machine: a scalar, or an array of scalars.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name, with dots for the fields of structures.
    pub name: String,
    /// What each element holds.
    pub ty: ScalarType,
    /// No dimension for a scalar.
    pub dimensions: Vec<Dimension>,
    /// The first value.
    pub initial: Initial,
    /// Where it is declared.
    pub span: Span,
}

impl Variable {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.dimensions.iter().map(|d| d.len as usize).product()
    }

    /// Whether there is no element at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of an element, such as `a[0].b[1]`.
    pub fn element_name(&self, element: usize) -> String {
        let mut indices = vec![0; self.dimensions.len()];
        let mut rest = element;
        for (index, dimension) in indices.iter_mut().zip(&self.dimensions).rev() {
            *index = rest % dimension.len.max(1) as usize;
            rest /= dimension.len.max(1) as usize;
        }
        let mut name = String::new();
        let mut from = 0;
        for (index, dimension) in indices.iter().zip(&self.dimensions) {
            let end = (dimension.name_end as usize).min(self.name.len());
            name += &self.name[from..end];
            name += &format!("[{index}]");
            from = end;
        }
        name + &self.name[from..]
    }
}

/// A kind of channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelType {
    /// How many messages it holds; 0 is a rendezvous. `None` has no limit by nature.
    pub capacity: Option<u32>,
    /// The types of a message's fields.
    pub fields: Vec<ScalarType>,
    /// Messages can vanish from it at any time.
    pub lossy: bool,
    /// Where it is declared.
    pub span: Span,
}

impl ChannelType {
    /// A send waits for its receiver.
    pub fn is_rendezvous(&self) -> bool {
        self.capacity == Some(0)
    }
}
