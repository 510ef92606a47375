import { create } from '@bufbuild/protobuf'
import { timestampFromMs, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import { customStatusFrom } from './custom-status.ts'

const now = new Date('2024-05-06T07:08:09Z')

test.each(['🎉', '❤️', '👩‍💻', '🏳️‍🌈', '👍🏽', '🇫🇷', '1️⃣', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'])('%s is one emoji', (emoji) => {
  expect(customStatusFrom({ emoji, text: 'there' }, now)).toEqual({ emoji, text: 'there', expiresAt: null })
})

test.each(['', 'a', ':tada:', '🎉🎉', '🎉 ', '❤', '👩‍', '🇫', '1', '©', '👩‍💻'.repeat(9), '\u200D', '🎉\0'])(
  '"%s" is not one emoji',
  (emoji) => {
    expect(() => customStatusFrom({ emoji, text: 'there' }, now)).toThrow('exactly one emoji')
  },
)

test('the text of a status has 1 to 100 characters, without control characters', () => {
  const withText = (text: string) => () => customStatusFrom({ emoji: '🎉', text }, now)
  expect(withText('  on leave ')()).toMatchObject({ text: 'on leave' })
  expect(withText('😀'.repeat(100))()).toMatchObject({ text: '😀'.repeat(100) })
  for (const empty of ['', '   ', '\u200B', '\u2800']) expect(withText(empty)).toThrow('its text is empty')
  expect(withText('x'.repeat(101))).toThrow('at most 100')
  for (const bad of ['a\nb', 'a\0b', 'a\uD83D']) expect(withText(bad)).toThrow('control characters')
})

test('the end of a status must be in the future and before the year 10000', () => {
  const ending = (expiresAt: Parameters<typeof customStatusFrom>[0]['expiresAt']) => () =>
    customStatusFrom({ emoji: '🎉', text: 'x', expiresAt }, now)
  expect(ending(timestampFromMs(now.getTime() + 1))()).toMatchObject({ expiresAt: new Date(now.getTime() + 1) })
  const beyondYear9999 = create(TimestampSchema, { seconds: 2n ** 62n })
  for (const bad of [timestampFromMs(now.getTime()), timestampFromMs(0), beyondYear9999])
    expect(ending(bad)).toThrow('in the future')
})
