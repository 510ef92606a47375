import { expect, test } from '@jest/globals'
import { deployableNames, propertiesOf } from './deployables.ts'
import * as internal from './internal.ts'

const values: unknown[] = Object.values(internal)
/** Every internal method, written as in `calls`. */
const methods = Object.entries(internal).flatMap(([name, value]) =>
  name.endsWith('Service') && values.includes(value) && 'methods' in value
    ? value.methods.map((method) => `${method.parent.name}.${method.name}`)
    : [],
)

test.each(deployableNames)('%s calls only internal methods that exist', (name) => {
  for (const call of propertiesOf(name).calls ?? []) {
    const called = call.endsWith('.*') ? methods.filter((method) => method.startsWith(call.slice(0, -1))) : [call]
    expect([call, called.length > 0 && called.every((method) => methods.includes(method))]).toEqual([call, true])
  }
})

test('no two deployables share a port number, a path, a setting for URLs or a published port', () => {
  const ports = deployableNames.flatMap((name) => propertiesOf(name).http ?? [])
  for (const property of ['number', 'path', 'listedAs', 'published'] as const) {
    const values = ports.flatMap((port) => port[property] ?? [])
    expect([property, new Set(values).size]).toEqual([property, values.length])
  }
})
