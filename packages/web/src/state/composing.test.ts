import { expect, test } from '@jest/globals'
import { editing, endEdit, keepEdit, keptEdit } from './composing.ts'

test('the text of an edit is kept for its user and message until the edit ends or another one begins', () => {
  for (const next of [undefined, 'M2']) {
    editing.set('M1')
    keepEdit({ userId: 'U1', messageId: 'M1', body: 'Tea for two' })
    expect(keptEdit('U1', 'M1')).toBe('Tea for two')
    expect(keptEdit('U2', 'M1')).toBeUndefined()
    expect(keptEdit('U1', 'M2')).toBeUndefined()
    editing.set(next)
    editing.set('M1')
    expect(keptEdit('U1', 'M1')).toBeUndefined()
  }
})

test('ending an edit does not end the edit of another message', () => {
  editing.set('M2')
  endEdit('M1')
  expect(editing.value).toBe('M2')
  endEdit('M2')
  expect(editing.value).toBeUndefined()
})
