import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { refusalOf, refusals } from './refusals.ts'

const services = new URL('../../../../services/', import.meta.url)
const errorFiles = readdirSync(services).flatMap((service) => {
  const folder = new URL(`${service}/src/`, services)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('errors.ts'))
  return files.map((name) => readFileSync(new URL(name, folder), 'utf8'))
})

test.each(refusals.map(([beginning]) => beginning))(
  'a service has an error message that begins with "%s"',
  (beginning) => expect(errorFiles.some((errors) => new RegExp(`['\`]${beginning}`).test(errors))).toBe(true),
)

test('no beginning is shadowed by an earlier one', () => {
  const shadowed = refusals.filter(([beginning], at) =>
    refusals.slice(0, at).some(([one]) => beginning.startsWith(one)),
  )
  expect(shadowed).toEqual([])
})

/** Limits without an entry: those of calls match a pattern, sockets reconnect silently, this client blocks no names. */
const withoutText = /^too many (?:calls of this kind|\S+ sockets|blocked usernames)/
const limits = errorFiles
  .flatMap((errors) => [...errors.matchAll(/['`](too many [^'`]*)/g)].map(([, reason = '']) => reason))
  .filter((reason) => !withoutText.test(reason))

test.each([...new Set(limits)])('the error "%s" has a text about a limit', (reason) =>
  expect(refusalOf(reason)).toMatch(/^limit\.|^refused\.(?:manyEmojis|quota)$/),
)

test.each([
  ['write', 'limit.writes'],
  ['search', 'limit.searches'],
  ['upload', 'limit.sending'],
  ['read', 'limit.reads'],
])('too many calls of the kind "%s" have their own text', (kind, key) =>
  expect(refusalOf(`too many calls of this kind (${kind}); wait and try again`)).toBe(key),
)
