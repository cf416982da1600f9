//! Routines that are known by name: the vocabulary of verification, and the ends of a program.

use super::effects::is_nondet;
use super::expression::Value;
use super::place::Place;
use super::{Lowering, Result};
use crate::codes::Say;
use crate::program::{Cause, ErrorKind, Instruction};
use crate::types::{FunctionType, Integer, Rank, Type};
use lang_c::ast::CallExpression;
use lang_c::span::Node;

/// Routines of the heap.
const HEAP: [&str; 8] =
    ["malloc", "calloc", "realloc", "free", "alloca", "__builtin_alloca", "__VERIFIER_alloc", "kmalloc"];
/// Routines that start or leave something that the graph does not have.
const THREADS: [&str; 7] = ["setjmp", "_setjmp", "longjmp", "signal", "fork", "vfork", "thrd_create"];

/// Routines that end a program, or say something about it.
const SPOKEN: [&str; 14] = [
    "__VERIFIER_error",
    "reach_error",
    "__VERIFIER_assume",
    "assert",
    "__VERIFIER_assert",
    "__assert_fail",
    "__assert",
    "__assert_rtn",
    "__assert_func",
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
];

/// Whether a routine without a body means something by its name.
pub(super) fn is_known(name: &str) -> bool {
    HEAP.contains(&name)
        || THREADS.contains(&name)
        || SPOKEN.contains(&name)
        || is_nondet(name)
        || ["pthread_", "__builtin_"].iter().any(|start| name.starts_with(start))
}

impl Lowering<'_> {
    /// A call of a routine that is known by name, unless the unit gives it another body.
    pub(super) fn known_routine(
        &mut self,
        name: &str,
        function: &FunctionType,
        call: &Node<CallExpression>,
    ) -> Result<Option<Value>> {
        let (arguments, place) = (&call.node.arguments, call.span);
        let has_body = self.functions.contains_key(name);
        let nothing = Ok(Some(Value::nothing(Type::Void)));
        match (name, &arguments[..]) {
            ("__VERIFIER_error" | "reach_error", _) => {
                self.stop(Instruction::Error(ErrorKind::ErrorCall), place);
                return nothing;
            }
            ("__VERIFIER_assume" | "__builtin_assume", [condition]) => {
                let condition = self.condition(condition)?;
                self.plain(Instruction::Assume(condition), place);
                return nothing;
            }
            _ if has_body => return Ok(None),
            ("assert" | "__VERIFIER_assert", [condition]) => {
                let (good, bad) = (self.fresh(place), self.fresh(place));
                self.branch(condition, good, bad)?;
                self.here = bad;
                self.stop(Instruction::Error(ErrorKind::Assertion), place);
                self.here = good;
                return nothing;
            }
            ("__assert_fail" | "__assert" | "__assert_rtn" | "__assert_func", _) => {
                self.stop(Instruction::Error(ErrorKind::Assertion), place);
                return nothing;
            }
            ("abort" | "__builtin_abort" | "__builtin_trap", []) => {
                self.stop(Instruction::Stop(None), place);
                return nothing;
            }
            ("exit" | "_exit" | "_Exit" | "quick_exit", [status]) => {
                let value = self.value(status)?;
                let value = self.convert_to(value, &Type::INT, status.span)?;
                let (status, _) = self.as_scalar(value, place)?;
                self.stop(Instruction::Stop(Some(status)), place);
                return nothing;
            }
            ("__builtin_expect", [value, _]) => {
                let value = self.value(value)?;
                let long = Type::Integer(Integer { rank: Rank::Long, signed: true });
                return self.convert_to(value, &long, place).map(Some);
            }
            _ => {}
        }
        if HEAP.contains(&name) {
            return self.error(Say::Heap, place, format!("`{name}` manages memory of the heap"));
        }
        if THREADS.contains(&name) || name.starts_with("pthread_") {
            return self.error(Say::Threads, place, format!("what `{name}` does is not modelled"));
        }
        if is_nondet(name) {
            return self.nondet(name, function, call).map(Some);
        }
        if name.starts_with("__builtin_") {
            return self.error(Say::Construct, place, format!("`{name}` is not modelled"));
        }
        Ok(None)
    }

    /// Any value of a type, which the prototype or the name says.
    fn nondet(&mut self, name: &str, function: &FunctionType, call: &Node<CallExpression>) -> Result<Value> {
        let suffix = name.trim_start_matches("__VERIFIER_nondet").trim_start_matches('_');
        let declared = self.binding(name).is_some();
        let ty = if declared { function.result.clone() } else { type_of_suffix(suffix) };
        if !ty.is_scalar() {
            return Ok(Value::nothing(ty));
        }
        let object = self.temporary(&ty, suffix, call.span)?;
        let variables = self.graph.objects[object.0 as usize].variables.clone();
        self.havoc(variables, Cause::Nondet(name.to_string()), call.span);
        let address = self.graph.terms.address(object, 0, self.pointer());
        self.load(&Place { address, ty, safe: true }, call.span)
    }
}

fn type_of_suffix(suffix: &str) -> Type {
    let (rank, signed) = match suffix {
        "bool" => (Rank::Bool, false),
        "char" => (Rank::Char, true),
        "uchar" | "unsigned_char" | "u8" => (Rank::Char, false),
        "short" => (Rank::Short, true),
        "ushort" | "u16" => (Rank::Short, false),
        "uint" | "unsigned" | "u32" => (Rank::Int, false),
        "long" => (Rank::Long, true),
        "ulong" | "size_t" => (Rank::Long, false),
        "longlong" => (Rank::LongLong, true),
        "ulonglong" | "u64" => (Rank::LongLong, false),
        "float" => return Type::Float(4),
        "double" => return Type::Float(8),
        "pointer" => return Type::pointer_to(Type::Void),
        _ => (Rank::Int, true),
    };
    Type::Integer(Integer { rank, signed })
}
