import { describe, expect, test } from '@jest/globals'
import { buildSchema, getIntrospectionQuery, parse, validate } from 'graphql'
import { queryLimits } from './query-limits.ts'

const schema = buildSchema('type Query { node: Node } type Node { id: ID, node: Node }')
const problems = (query: string, limits = { depth: 4, fields: 10 }) =>
  validate(schema, parse(query), [queryLimits(limits)]).map(({ message }) => message)

describe('a query', () => {
  test('is accepted within the limits', () => {
    expect(problems('{ node { node { id } } }')).toEqual([])
    expect(problems(getIntrospectionQuery(), { depth: 16, fields: 500 })).toEqual([])
  })

  test('must not be too deep, with or without fragments', () => {
    const tooDeep = ['the query is deeper than 4 levels']
    expect(problems('{ node { node { node { node { id } } } } }')).toEqual(tooDeep)
    expect(problems('{ node { ...a } } fragment a on Node { node { node { node { id } } } }')).toEqual(tooDeep)
    expect(problems('{ node { ... on Node { node { node { node { id } } } } } }')).toEqual(tooDeep)
  })

  test('must not be too wide, with aliases or nested fragments', () => {
    const tooWide = ['the query selects more than 10 fields']
    expect(problems(`{ ${Array.from({ length: 11 }, (_, n) => `a${n}: node { id }`).join(' ')} }`)).toEqual(tooWide)
    const doubling = Array.from({ length: 30 }, (_, n) => `fragment f${n} on Node { ...f${n + 1} ...f${n + 1} }`)
    expect(problems(`{ node { ...f0 } } ${doubling.join(' ')} fragment f30 on Node { id }`)).toEqual(tooWide)
  })

  test('with recursive fragments is left to another rule', () => {
    expect(problems('{ node { ...a } } fragment a on Node { id ...b } fragment b on Node { ...a }')).toEqual([])
  })
})
