import { GraphQLError, Kind, type FragmentDefinitionNode, type SelectionSetNode, type ValidationRule } from 'graphql'

type Limits = { depth: number; fields: number }

/**
 * Counts the content of a fragment each time it is spread. Stops at the limit, so that nested fragments cannot make a
 * small query expensive.
 */
export function queryLimits({ depth: maxDepth, fields: maxFields }: Limits): ValidationRule {
  return (context) => {
    const fragments = new Map<string, FragmentDefinitionNode>()
    for (const definition of context.getDocument().definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)

    return {
      OperationDefinition(operation) {
        let fields = 0
        const within = new Set<string>()
        const findProblem = ({ selections }: SelectionSetNode, depth: number): string | undefined => {
          if (depth > maxDepth) return `the query is deeper than ${maxDepth} levels`
          for (const selection of selections) {
            if (++fields > maxFields) return `the query selects more than ${maxFields} fields`
            let found: string | undefined
            if (selection.kind !== Kind.FRAGMENT_SPREAD) {
              const inner = selection.kind === Kind.FIELD ? depth + 1 : depth
              found = selection.selectionSet && findProblem(selection.selectionSet, inner)
            } else {
              const name = selection.name.value
              const fragment = fragments.get(name)
              // Recursive fragments are refused by another rule.
              if (!fragment || within.has(name)) continue
              within.add(name)
              found = findProblem(fragment.selectionSet, depth)
              within.delete(name)
            }
            if (found !== undefined) return found
          }
          return undefined
        }
        const found = findProblem(operation.selectionSet, 1)
        if (found !== undefined) context.reportError(new GraphQLError(found, { nodes: [operation] }))
      },
    }
  }
}
