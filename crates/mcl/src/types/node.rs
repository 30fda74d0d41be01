//! Types of the syntax tree.

use super::Type;
use crate::syntax::ast::TypeNode;

/// The type of a node of the tree.
pub(crate) fn of_node(node: &TypeNode) -> Type {
    match node {
        TypeNode::Bool => Type::Bool,
        TypeNode::Str => Type::Str,
        TypeNode::Int => Type::Int,
        TypeNode::Float => Type::Float,
        TypeNode::Variant => Type::Variant,
        TypeNode::List(item) => Type::list(of_node(item)),
        TypeNode::Map(key, value) => Type::map(of_node(key), of_node(value)),
        TypeNode::Struct(fields) => {
            Type::record(fields.iter().map(|(name, ty)| (name.clone(), of_node(ty))))
        }
        TypeNode::Func(args, result) => {
            let types = args.iter().map(|(_, ty)| of_node(ty)).collect();
            Type::func(types, of_node(result))
        }
    }
}
