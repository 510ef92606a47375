import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { Code, ConnectError, type MemberClient } from '@parley/client'
import { accountDeleted } from '../state/account-deleted.ts'
import { deleteAccount } from './delete-account.ts'

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }))
afterEach(() => void jest.useRealTimers())

const lost = new ConnectError('connection lost', Code.Unavailable)
const ended = new ConnectError('session ended', Code.Unauthenticated)
const refused = new ConnectError('not allowed', Code.PermissionDenied)

test('a late response about a failed attempt to delete the account does not undo the next attempt', async () => {
  let answerViewer: () => void = () => undefined
  const getViewer = () => new Promise<void>((resolve) => (answerViewer = resolve))
  const deleteMyAccount = jest.fn(async () => ({})).mockRejectedValueOnce(lost)
  const myAccount = { requestAccountDeletion: async () => ({ confirmationToken: 'T' }), deleteMyAccount }
  const server = { api: { myAccount, viewer: { getViewer } } } as unknown as MemberClient
  await expect(deleteAccount(server, 'Uann')).rejects.toBe(lost)
  const again = deleteAccount(server, 'Uann')
  answerViewer()
  await again
  await jest.advanceTimersByTimeAsync(10_000)
  expect(accountDeleted.value).toBe(true)
})

test.each([
  ['was lost, and the session has ended', lost, [ended], true],
  ['was lost, and the session still exists', lost, [undefined], false],
  ['was lost, and the server is unreachable for a while', lost, [lost, undefined], false],
  ['says that the session has ended, because the request was repeated', ended, [ended], true],
  ['is a refusal', refused, [], false],
])('whether the account counts as deleted if the response %s', async (_, failure, answers, isDeleted) => {
  const left: (ConnectError | undefined)[] = [...answers]
  const getViewer = async () => {
    const answer = left.shift()
    if (answer) throw answer
  }
  const myAccount = {
    requestAccountDeletion: async () => ({ confirmationToken: 'T' }),
    deleteMyAccount: () => Promise.reject(failure),
  }
  const server = { api: { myAccount, viewer: { getViewer } } } as unknown as MemberClient
  await expect(deleteAccount(server, 'Uann')).rejects.toBe(failure)
  await jest.advanceTimersByTimeAsync(10_000)
  expect([accountDeleted.value, left]).toEqual([isDeleted, []])
})
