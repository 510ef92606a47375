import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { refusals } from './refusals.ts'

const services = new URL('../../../../services/', import.meta.url)
const said = readdirSync(services).flatMap((service) => {
  const folder = new URL(`${service}/src/`, services)
  const files = readdirSync(folder).filter((name) => name.endsWith('errors.ts'))
  return files.map((name) => readFileSync(new URL(name, folder), 'utf8'))
})

test.each(refusals.map(([beginning]) => beginning))('a service says "%s"', (beginning) =>
  expect(said.some((errors) => new RegExp(`['\`]${beginning}`).test(errors))).toBe(true),
)

test('no refusal stands behind one that takes its place', () => {
  const hidden = refusals.filter(([beginning], at) => refusals.slice(0, at).some(([one]) => beginning.startsWith(one)))
  expect(hidden).toEqual([])
})
