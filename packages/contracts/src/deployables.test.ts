import { expect, test } from '@jest/globals'
import { deployableNames, factsOf } from './deployables.ts'
import * as internal from './internal.ts'

const values: unknown[] = Object.values(internal)
/** Every internal method, written as in `asks`. */
const methods = Object.entries(internal).flatMap(([name, value]) =>
  name.endsWith('Service') && values.includes(value) && 'methods' in value
    ? value.methods.map((method) => `${method.parent.name}.${method.name}`)
    : [],
)

test.each(deployableNames)('%s asks internal methods that there are', (name) => {
  for (const ask of factsOf(name).asks ?? []) {
    const asked = ask.endsWith('.*') ? methods.filter((method) => method.startsWith(ask.slice(0, -1))) : [ask]
    expect([ask, asked.length > 0 && asked.every((method) => methods.includes(method))]).toEqual([ask, true])
  }
})

test('ports, paths and names of lists are of one deployable each', () => {
  const ports = deployableNames.flatMap((name) => factsOf(name).http ?? [])
  for (const fact of ['number', 'path', 'listedAs', 'published'] as const) {
    const given = ports.flatMap((port) => port[fact] ?? [])
    expect([fact, new Set(given).size]).toEqual([fact, given.length])
  }
})
