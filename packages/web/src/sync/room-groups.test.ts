import { expect, test } from '@jest/globals'
import type { administration } from '../session/administration.ts'
import { RoomGroups } from './room-groups.ts'

/** Groups on a server that answers when the test lets it. */
function createGroups(...stored: string[]) {
  let order = stored
  const failures: { move?: Error; load?: Error } = {}
  const waiting: (() => void)[] = []
  const turn = () => new Promise<void>((resolve) => waiting.push(resolve))
  const groups = new RoomGroups({
    listRoomGroups: async () => {
      const response = { groups: order.map((id) => ({ id })) }
      await turn()
      if (failures.load) throw failures.load
      return response
    },
    reorderRoomGroups: async ({ orderedGroupIds }: { orderedGroupIds: string[] }) => {
      await turn()
      if (failures.move) throw failures.move
      order = orderedGroupIds
    },
  } as unknown as (typeof administration)['roomLayout'])
  /** Lets all waiting calls respond, and then the calls that follow from their responses. */
  const respond = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      for (const go of waiting.splice(0)) go()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const shown = () => groups.groups.value.map(({ id }) => id)
  return {
    groups,
    waiting,
    respond,
    failures,
    shown,
    remove: (id: string) => (order = order.filter((one) => one !== id)),
  }
}

test('a response that is older than the last request is not shown', async () => {
  const { groups, waiting, shown, remove } = createGroups('A', 'B', 'C')
  const first = groups.load()
  remove('A')
  const second = groups.load()
  waiting[1]?.()
  await second
  waiting[0]?.()
  await first
  expect(shown()).toEqual(['B', 'C'])
})

test('a response is shown if a later request has failed', async () => {
  const { groups, waiting, failures, shown } = createGroups('A', 'B')
  const first = groups.load()
  const second = groups.load()
  failures.load = new Error('unreachable')
  waiting[1]?.()
  await expect(second).rejects.toBe(failures.load)
  delete failures.load
  waiting[0]?.()
  await first
  expect(shown()).toEqual(['A', 'B'])
})

test('a list that was requested before a move is not shown after it', async () => {
  const { groups, waiting, respond, shown } = createGroups('A', 'B')
  const loading = groups.load()
  await respond()
  await loading
  const late = groups.load()
  const respondLate = waiting.shift()
  const move = groups.move(0, 1)
  await new Promise((resolve) => setImmediate(resolve))
  waiting.shift()?.()
  await new Promise((resolve) => setImmediate(resolve))
  respondLate?.()
  await late
  expect(shown()).toEqual(['B', 'A'])
  await respond()
  await move
  expect(shown()).toEqual(['B', 'A'])
})

test('moves are shown at once and sent in order, and a list loaded meanwhile changes nothing', async () => {
  const { groups, waiting, respond, shown } = createGroups('A', 'B', 'C')
  const loading = groups.load()
  await respond()
  await loading
  const moves = [groups.move(0, 1), groups.move(1, 1)]
  const meanwhile = groups.load()
  await new Promise((resolve) => setImmediate(resolve))
  // The list and the first move; the second move waits for the first.
  expect([shown(), waiting.length]).toEqual([['B', 'C', 'A'], 2])
  waiting.shift()?.()
  await meanwhile
  expect(shown()).toEqual(['B', 'C', 'A'])
  await respond()
  await Promise.all(moves)
  expect(shown()).toEqual(['B', 'C', 'A'])
})

test('if a move fails and the groups cannot be loaded, the failure of the move is reported and the old order returns', async () => {
  const { groups, respond, failures, shown } = createGroups('A', 'B', 'C')
  const loading = groups.load()
  await respond()
  await loading
  const confirmed = groups.move(0, 1)
  await respond()
  await confirmed
  Object.assign(failures, { move: new Error('refused'), load: new Error('unreachable') })
  const moving = groups.move(1, 1)
  expect(shown()).toEqual(['B', 'C', 'A'])
  const failure = expect(moving).rejects.toBe(failures.move)
  await respond()
  await failure
  expect(shown()).toEqual(['B', 'A', 'C'])
})
