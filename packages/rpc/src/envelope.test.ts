import { expect, test } from '@jest/globals'
import { packNotStarted, packPart, packRequest, unpackReply, unpackRequest } from './envelope.ts'

test('the control fields of a request are decoded as encoded', () => {
  const control = { sender: 'abc', sentAt: -7_200_000, budgetMs: 5_000, startByMs: 500, attempt: 2 }
  expect(unpackRequest(packRequest(control))).toEqual(control)
})

test.each([undefined, '', 'x', 'a b c d e', 'a 1 2 3', ' 1 2 3 4'])('%p is not a valid request header', (packed) => {
  expect(unpackRequest(packed)).toBeUndefined()
})

test('the control fields of replies are decoded as encoded', () => {
  expect(unpackReply(packNotStarted('draining'))).toEqual({ kind: 'not-started', reason: 'draining' })
  expect(unpackReply(packPart(3, 12, false))).toEqual({ kind: 'part', index: 3, count: 12, error: false })
  expect(unpackReply(packPart(0, 2, true))).toEqual({ kind: 'part', index: 0, count: 2, error: true })
  expect(unpackReply('?')).toBeUndefined()
})
