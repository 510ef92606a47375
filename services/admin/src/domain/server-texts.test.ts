import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { findChangedTexts, parseServerTexts } from './server-texts.ts'

test('absent texts are unchanged, blank ones are reset', () => {
  expect(parseServerTexts({ serverName: ' Acme\n Chat ', motd: '' })).toEqual({ name: 'Acme Chat', motd: null })
  expect(parseServerTexts({ serverName: '  ', description: ' ', welcomeMessage: '\n' })).toEqual({
    name: null,
    description: null,
    welcomeMessage: null,
  })
})

test('Markdown is stored as written', () => {
  expect(parseServerTexts({ motd: '  code\n' })).toEqual({ motd: '  code\n' })
})

test.each([
  ['motd', 1000],
  ['welcomeMessage', 10_000],
] as const)('%s has at most %d bytes in UTF-8', (field, max) => {
  expect(parseServerTexts({ [field]: 'x'.repeat(max) })).toEqual({ [field]: 'x'.repeat(max) })
  expect(parseServerTexts({ [field]: 'ä'.repeat(max / 2) })).toEqual({ [field]: 'ä'.repeat(max / 2) })
  expect(() => parseServerTexts({ [field]: 'ä'.repeat(max / 2 + 1) })).toThrow(
    expect.objectContaining({ code: Code.InvalidArgument }),
  )
})

test('an update must name a field', () => {
  expect(() => parseServerTexts({})).toThrow(expect.objectContaining({ code: Code.InvalidArgument }))
})

test('only texts that differ count as changed', () => {
  const before = { name: 'Acme', description: null, motd: 'hi', welcomeMessage: null }
  expect(findChangedTexts(before, { name: 'Acme', description: null, motd: 'ho' })).toEqual(['motd'])
  expect(findChangedTexts(before, { name: null, welcomeMessage: 'welcome' })).toEqual(['name', 'welcomeMessage'])
})
