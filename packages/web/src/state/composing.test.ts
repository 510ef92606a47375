import { expect, test } from '@jest/globals'
import type { Message } from '@parley/client/contract'
import { replyingTo, beginReply, editing, endEdit, endReply, keepEdit, keptEdit } from './composing.ts'

const message = (id: string) => ({ id }) as Message

test('each room has a reply of its own', () => {
  beginReply('R1/', message('M1'))
  beginReply('R2/', message('M2'))
  beginReply('R2/', message('M3'))
  expect([replyingTo.value.get('R1/')?.id, replyingTo.value.get('R2/')?.id]).toEqual(['M1', 'M3'])
  endReply('R2/')
  expect([...replyingTo.value.keys()]).toEqual(['R1/'])
  endReply('R1/')
  expect(replyingTo.value.size).toBe(0)
})

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
  endEdit('M1', 'Tea')
  expect(editing.value).toBe('M2')
  endEdit('M2', 'Tea')
  expect(editing.value).toBeUndefined()
})

test('an edit that was saved goes on if the user has continued to write meanwhile', () => {
  editing.set('M1')
  keepEdit({ userId: 'U1', messageId: 'M1', body: 'Tea for two' })
  endEdit('M1', 'Tea')
  expect([editing.value, keptEdit('U1', 'M1')]).toEqual(['M1', 'Tea for two'])
  endEdit('M1', 'Tea for two')
  expect(editing.value).toBeUndefined()
})
