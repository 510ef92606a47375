import { expect, jest, test } from '@jest/globals'
import type { MemberClient } from '@parley/client'
import type { NotificationItem } from '@parley/client/contract'
import { Inbox } from './inbox.ts'
import { People } from './people.ts'

function inboxOf(pending: string[]): Inbox {
  const notification = {
    listNotifications: async ({ page }: { page: { limit: number } }) => ({
      notifications: pending.slice(0, page.limit).map((id) => ({ id }) as NotificationItem),
      page: { totalCount: BigInt(pending.length) },
    }),
    dismissNotification: async ({ notificationId }: { notificationId: string }) => {
      pending.splice(pending.indexOf(notificationId), 1)
    },
  }
  const people = new People({} as MemberClient, 'Ume', 'gone')
  return new Inbox({ api: { notification } } as unknown as MemberClient, people)
}
const notificationIds = (count: number) => Array.from({ length: count }, (_, at) => `N${at}`)

test('all pending notifications are counted, and more are loaded as listed ones are dismissed', async () => {
  jest.useFakeTimers()
  const inbox = inboxOf(notificationIds(60))
  inbox.refresh()
  await jest.runAllTimersAsync()
  expect([inbox.items.value?.length, inbox.total.value]).toEqual([50, 60])
  for (let at = 0; at < 20; at++) await inbox.dismiss(`N${at}`)
  await jest.runAllTimersAsync()
  expect([inbox.items.value?.length, inbox.items.value?.at(-1)?.id, inbox.total.value]).toEqual([40, 'N59', 40])
  jest.useRealTimers()
})

test('a dismissed notification is subtracted from the total once, even if an event reports it again', async () => {
  jest.useFakeTimers()
  const inbox = inboxOf(notificationIds(3))
  inbox.refresh()
  await jest.runAllTimersAsync()
  await inbox.dismiss('N1')
  inbox.remove('N1')
  inbox.remove('unknown')
  expect([inbox.items.value?.map(({ id }) => id), inbox.total.value]).toEqual([['N0', 'N2'], 2])
  jest.useRealTimers()
})

test('a dismissed notification does not come back with an older response, except if its dismissal fails', async () => {
  const [kept, dismissed] = [{ id: 'N1' }, { id: 'N2' }]
  const waiting: (() => void)[] = []
  const notification = {
    listNotifications: async () => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return { notifications: [kept, dismissed], page: { totalCount: 2n } }
    },
    dismissNotification: jest.fn(async () => ({})),
  }
  const people = new People({} as MemberClient, 'Ume', 'gone')
  const inbox = new Inbox({ api: { notification } } as unknown as MemberClient, people)
  jest.useFakeTimers()
  const respond = async () => {
    inbox.refresh()
    await jest.runAllTimersAsync()
    await inbox.dismiss('N2').catch(() => undefined)
    waiting.pop()?.()
    await jest.runAllTimersAsync()
    return [inbox.items.value, inbox.total.value]
  }
  expect(await respond()).toEqual([[kept], 1])
  notification.dismissNotification.mockRejectedValueOnce(new Error('not now'))
  expect(await respond()).toEqual([[kept, dismissed], 2])
  jest.useRealTimers()
})
