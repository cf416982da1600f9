//! The types of C and how they lie in memory.
//!
//! Layouts are those of GCC on x86: `ilp32` is the ABI of i386, where eight-byte integers are aligned to four bytes in a
//! struct, `lp64` that of x86-64. `char` is signed. An enumeration is `unsigned int` unless one of its constants is
//! negative.

use crate::term::Scalar;
use std::sync::Arc;

/// The widths of the integer types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    #[default]
    Ilp32,
    /// `int` has 32 bits, `long` and pointers have 64.
    Lp64,
}

impl DataModel {
    /// The scalar of a pointer.
    pub fn pointer(self) -> Scalar {
        Scalar::unsigned(if self == DataModel::Ilp32 { 32 } else { 64 })
    }
}

/// An integer type, without its sign. The order is that of conversion ranks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Rank {
    Bool,
    Char,
    Short,
    Int,
    Long,
    LongLong,
}

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Integer {
    pub rank: Rank,
    pub signed: bool,
}

impl Integer {
    pub const INT: Integer = Integer { rank: Rank::Int, signed: true };
    pub const UNSIGNED: Integer = Integer { rank: Rank::Int, signed: false };
    pub const CHAR: Integer = Integer { rank: Rank::Char, signed: true };
    pub const BOOL: Integer = Integer { rank: Rank::Bool, signed: false };

    /// Width and sign. A `_Bool` is one bit, as it has two values; it takes a byte in memory.
    pub fn scalar(self, model: DataModel) -> Scalar {
        let width = match self.rank {
            Rank::Bool => 1,
            Rank::Char => 8,
            Rank::Short => 16,
            Rank::Int => 32,
            Rank::Long => model.pointer().width,
            Rank::LongLong => 64,
        };
        Scalar { width, signed: self.signed }
    }

    /// C11 6.3.1.1: what is smaller than `int` becomes `int`, which holds all its values.
    pub fn promoted(self) -> Integer {
        if self.rank < Rank::Int { Integer::INT } else { self }
    }

    /// C11 6.3.1.8, for integers.
    pub fn common(self, other: Integer, model: DataModel) -> Integer {
        let (a, b) = (self.promoted(), other.promoted());
        if a.signed == b.signed {
            return if a.rank >= b.rank { a } else { b };
        }
        let (signed, unsigned) = if a.signed { (a, b) } else { (b, a) };
        if unsigned.rank >= signed.rank {
            unsigned
        } else if signed.scalar(model).width > unsigned.scalar(model).width {
            signed
        } else {
            Integer { rank: signed.rank, signed: false }
        }
    }
}

/// A type of C. Qualifiers are not kept, except for what a pointer points to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    Void,
    Integer(Integer),
    Float(u8),
    Pointer {
        to: Arc<Type>,
        constant: bool,
    },
    Array(Arc<Type>, Option<u64>),
    Record(usize),
    Function(Arc<FunctionType>),
    /// `__builtin_va_list` and the like: can be declared, not used.
    Opaque,
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FunctionType {
    pub result: Type,
    /// `None` if the declaration does not say.
    pub parameters: Option<Vec<Type>>,
    pub variadic: bool,
}

impl Type {
    pub const INT: Type = Type::Integer(Integer::INT);

    pub fn pointer_to(to: Type) -> Type {
        Type::Pointer { to: Arc::new(to), constant: false }
    }

    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Integer(_) | Type::Pointer { .. })
    }

    pub fn is_aggregate(&self) -> bool {
        matches!(self, Type::Record(_) | Type::Array(..))
    }

    /// What a parameter of this type really has.
    pub fn adjusted(self) -> Type {
        match self {
            Type::Array(element, _) => Type::Pointer { to: element, constant: false },
            Type::Function(_) => Type::pointer_to(self),
            other => other,
        }
    }
}

/// A member of a struct or union.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Field {
    /// Empty for an anonymous struct or union.
    pub name: String,
    pub ty: Type,
    pub offset: u64,
    /// A bit-field is declared, but cannot be used.
    pub bits: bool,
    pub volatile: bool,
}

/// A struct or union.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Record {
    pub name: String,
    pub union: bool,
    /// `None` while it is only declared.
    pub fields: Option<Vec<Field>>,
    pub size: u64,
    pub align: u64,
}

impl Record {
    /// Whether its parts are variables of their own: not if they lie on top of each other.
    pub fn is_plain(&self) -> bool {
        !self.union || self.fields.as_ref().is_some_and(|fields| fields.len() == 1)
    }
}

/// The structs and unions of a translation unit, and the data model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    pub model: DataModel,
    pub records: Vec<Record>,
    /// The text has attributes that change layouts, so that `sizeof` a struct is not known.
    pub odd_layouts: bool,
}

/// A scalar inside of a type.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Leaf {
    pub path: String,
    pub offset: u64,
    pub ty: Type,
    pub volatile: bool,
}

impl Types {
    /// The scalar of a type, if it is one.
    pub fn scalar(&self, ty: &Type) -> Option<Scalar> {
        match ty {
            Type::Integer(integer) => Some(integer.scalar(self.model)),
            Type::Pointer { .. } => Some(self.model.pointer()),
            _ => None,
        }
    }

    /// Size and alignment in bytes; `None` if the type is incomplete or too large.
    pub fn layout(&self, ty: &Type) -> Option<(u64, u64)> {
        let word = u64::from(self.model.pointer().width / 8);
        match ty {
            Type::Integer(integer) => {
                let size = u64::from(integer.scalar(self.model).width).div_ceil(8);
                Some((size, size.min(word)))
            }
            Type::Pointer { .. } => Some((word, word)),
            Type::Float(bytes) => Some((u64::from(*bytes), u64::from(*bytes).min(if word == 4 { 4 } else { 16 }))),
            Type::Array(element, Some(length)) => {
                let (size, align) = self.layout(element)?;
                let total = size.checked_mul(*length)?;
                (total < 1 << 31).then_some((total, align))
            }
            Type::Record(record) => {
                let record = self.records.get(*record)?;
                record.fields.as_ref()?;
                Some((record.size, record.align))
            }
            // GCC: what a pointer to void or to a function steps over.
            Type::Void | Type::Function(_) => Some((1, 1)),
            Type::Array(_, None) | Type::Opaque => None,
        }
    }

    /// Whether the type is aligned to eight bytes on its own, and to four in a struct: i386.
    pub fn is_aligned_less_in_a_struct(&self, ty: &Type) -> bool {
        match ty {
            Type::Integer(Integer { rank: Rank::LongLong, .. }) | Type::Float(8) => self.model == DataModel::Ilp32,
            Type::Array(element, _) => self.is_aligned_less_in_a_struct(element),
            _ => false,
        }
    }

    pub fn size(&self, ty: &Type) -> Option<u64> {
        self.layout(ty).map(|(size, _)| size)
    }

    /// The usual layout of fields, each at the next place that its alignment allows.
    pub fn lay_out(&self, union: bool, fields: &mut [Field]) -> Option<(u64, u64)> {
        let (mut end, mut align) = (0_u64, 1_u64);
        for field in fields {
            let flexible = matches!(field.ty, Type::Array(_, None));
            let (size, need) = match &field.ty {
                Type::Array(element, None) => (0, self.layout(element)?.1),
                ty => self.layout(ty)?,
            };
            field.offset = if union { 0 } else { end.next_multiple_of(need) };
            end = end.max(field.offset.checked_add(size)?);
            align = align.max(need);
            if flexible {
                field.bits = true;
            }
        }
        Some((end.next_multiple_of(align), align))
    }

    /// A member by its name, also inside of anonymous members.
    pub fn field(&self, record: usize, name: &str) -> Option<Field> {
        let record = self.records.get(record)?;
        for field in record.fields.as_ref()? {
            if field.name == name {
                return Some(field.clone());
            }
            if field.name.is_empty()
                && let Type::Record(inner) = &field.ty
                && let Some(found) = self.field(*inner, name)
            {
                return Some(Field { offset: field.offset + found.offset, bits: field.bits || found.bits, ..found });
            }
        }
        None
    }

    /// The scalars of a type in the order of their offsets, at most `limit` of them; `None` if there are more.
    pub fn leaves(&self, ty: &Type, limit: usize) -> Option<Vec<Leaf>> {
        let mut leaves = Vec::new();
        self.collect(ty, String::new(), 0, limit, &mut leaves)?;
        Some(leaves)
    }

    fn collect(&self, ty: &Type, path: String, offset: u64, limit: usize, leaves: &mut Vec<Leaf>) -> Option<()> {
        match ty {
            Type::Integer(_) | Type::Pointer { .. } => {
                if leaves.len() >= limit {
                    return None;
                }
                leaves.push(Leaf { path, offset, ty: ty.clone(), volatile: false });
            }
            Type::Array(element, Some(length)) => {
                let size = self.size(element)?;
                if *length > limit as u64 {
                    return None;
                }
                for index in 0..*length {
                    self.collect(element, format!("{path}[{index}]"), offset + index * size, limit, leaves)?;
                }
            }
            Type::Record(number) => {
                let record = self.records.get(*number)?;
                if !record.is_plain() {
                    return Some(());
                }
                for field in record.fields.as_ref()?.iter().filter(|field| !field.bits) {
                    let path = if field.name.is_empty() { path.clone() } else { format!("{path}.{}", field.name) };
                    let before = leaves.len();
                    self.collect(&field.ty, path, offset + field.offset, limit, leaves)?;
                    leaves[before..].iter_mut().for_each(|leaf| leaf.volatile |= field.volatile);
                }
            }
            Type::Void | Type::Float(_) | Type::Function(_) | Type::Opaque | Type::Array(_, None) => {}
        }
        Some(())
    }

    /// The parts of a type that have no variable, as offsets and sizes.
    pub fn unseen(&self, ty: &Type) -> Vec<(u64, u64)> {
        let mut parts = Vec::new();
        self.collect_unseen(ty, 0, &mut parts);
        parts
    }

    fn collect_unseen(&self, ty: &Type, offset: u64, parts: &mut Vec<(u64, u64)>) {
        match ty {
            Type::Float(bytes) => parts.push((offset, u64::from(*bytes))),
            Type::Array(element, Some(length)) => {
                let mut inner = Vec::new();
                self.collect_unseen(element, 0, &mut inner);
                let size = self.size(element).unwrap_or(0);
                if !inner.is_empty() {
                    // One stretch is enough to ask about, as long as it has nothing else in it; a very long one is
                    // asked about as if it had not.
                    let whole = matches!(&inner[..], [(0, bytes)] if *bytes == size);
                    if whole || *length > 4_096 {
                        parts.push((offset, size.saturating_mul(*length)));
                    } else {
                        let each = (0..*length).flat_map(|n| inner.iter().map(move |&(at, size)| (n, at, size)));
                        parts.extend(each.map(|(n, at, bytes)| (offset + n * size + at, bytes)));
                    }
                }
            }
            Type::Record(number) => {
                let Some(record) = self.records.get(*number) else { return };
                if !record.is_plain() {
                    parts.push((offset, record.size));
                    return;
                }
                for field in record.fields.iter().flatten() {
                    match (field.bits, self.size(&field.ty)) {
                        (true, Some(size)) => parts.push((offset + field.offset, size)),
                        (true, None) => {}
                        (false, _) => self.collect_unseen(&field.ty, offset + field.offset, parts),
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether its size is certainly that of the compiler.
    pub fn is_exact(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(element, _) => self.is_exact(element),
            Type::Record(number) => {
                self.records.get(*number).and_then(|record| record.fields.as_ref()).is_some_and(|fields| {
                    !self.odd_layouts && fields.iter().all(|field| !field.bits && self.is_exact(&field.ty))
                })
            }
            _ => true,
        }
    }

    /// Whether a member is a variable of its own, through anonymous members.
    pub fn reaches_plainly(&self, record: usize, name: &str) -> bool {
        let Some(record) = self.records.get(record).filter(|record| record.is_plain()) else { return false };
        record.fields.iter().flatten().any(|field| match &field.ty {
            _ if field.name == name => true,
            Type::Record(inner) if field.name.is_empty() => self.reaches_plainly(*inner, name),
            _ => false,
        })
    }

    /// As C writes it, more or less.
    pub fn describe(&self, ty: &Type) -> String {
        match ty {
            Type::Void => String::from("void"),
            Type::Integer(Integer { rank, signed }) => {
                let name = match rank {
                    Rank::Bool => return String::from("_Bool"),
                    Rank::Char => "char",
                    Rank::Short => "short",
                    Rank::Int => "int",
                    Rank::Long => "long",
                    Rank::LongLong => "long long",
                };
                if *signed { String::from(name) } else { format!("unsigned {name}") }
            }
            Type::Float(4) => String::from("float"),
            Type::Float(8) => String::from("double"),
            Type::Float(_) => String::from("long double"),
            Type::Pointer { to, .. } => format!("{} *", self.describe(to)),
            Type::Array(element, Some(length)) => format!("{}[{length}]", self.describe(element)),
            Type::Array(element, None) => format!("{}[]", self.describe(element)),
            Type::Record(number) => match self.records.get(*number) {
                Some(Record { union: true, name, .. }) => format!("union {name}"),
                Some(Record { name, .. }) => format!("struct {name}"),
                None => String::from("struct"),
            },
            Type::Function(function) => format!("{} ()", self.describe(&function.result)),
            Type::Opaque => String::from("a type of the compiler"),
        }
    }
}
