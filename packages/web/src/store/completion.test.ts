import { describe, expect, test } from '@jest/globals'
import { applyCompletion, findCompletion } from './completion.ts'

const at = (text: string) => findCompletion(text, text.length)

describe('at the caret', () => {
  test.each([
    ['@ad', { kind: 'person', typed: 'ad', from: 0 }],
    ['hello @', { kind: 'person', typed: '', from: 6 }],
    ['see (#pla', { kind: 'room', typed: 'pla', from: 5 }],
    ['yes :tad', { kind: 'emoji', typed: 'tad', from: 4 }],
    ['one\n@b', { kind: 'person', typed: 'b', from: 4 }],
  ])('%j can be completed', (text, expected) => expect(at(text)).toEqual(expected))

  test.each(['ada@example', 'a:b', ':t', 'C#', '10:30', 'plain', '@ada and'])('%j is not completed', (text) =>
    expect(at(text)).toBeUndefined(),
  )
})

test('the completion replaces what was typed', () => {
  const text = 'hello @ad, how are you'
  const completing = findCompletion(text, 9)
  if (!completing) throw new Error('nothing to complete')
  expect(applyCompletion(text, 9, completing, '@ada')).toEqual({ text: 'hello @ada , how are you', caret: 11 })
  expect(applyCompletion('@ad x', 3, { ...completing, from: 0 }, '@ada')).toEqual({ text: '@ada x', caret: 5 })
})
