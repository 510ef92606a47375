import { expect, test } from '@jest/globals'
import type { DuePush } from '../../store/due-pushes.ts'
import { Chooser } from './chooser.ts'
import { Hosts, maxAtOnce, maxPerHost } from './hosts.ts'
import type { PushPriority } from '../../domain/push-priority.ts'

let lastId = 0n
const pushes = (host: string, lane: PushPriority, count: number): DuePush[] =>
  Array.from({ length: count }, () => ({ id: ++lastId, host, lane }))

function opened(...wellHosts: string[]) {
  const hosts = new Hosts(1000)
  for (const name of wellHosts) {
    hosts.begin(name, 0)
    hosts.end(name, 0, true)
  }
  return { hosts, chooser: new Chooser(hosts) }
}

/**
 * Sends everything, one turn after another, with a constant number in flight; returns the pushes in the order they
 * started.
 */
function sent({ hosts, chooser }: ReturnType<typeof opened>, due: readonly DuePush[]): DuePush[] {
  const order: DuePush[] = []
  const underWay: DuePush[] = []
  for (let waiting = [...due]; waiting.length > 0 || underWay.length > 0;) {
    const chosen = new Set(chooser.choose(waiting, 0))
    order.push(...chosen)
    underWay.push(...chosen)
    waiting = waiting.filter((push) => !chosen.has(push))
    const ended = underWay.shift()
    if (ended) hosts.end(ended.host, 0, true)
  }
  return order
}

test('each priority sends its oldest push first, and priorities share the turns of a host', () => {
  const mass = pushes('a', 'mass', 50)
  const first = pushes('a', 'first', 50)
  const order = sent(opened('a'), [...mass, ...first])
  expect(order).toHaveLength(100)
  for (const [lane, those] of [['mass', mass] as const, ['first', first] as const])
    expect(order.filter((push) => push.lane === lane)).toEqual(those)
  expect(order.slice(0, 60).filter(({ lane }) => lane === 'mass')).toHaveLength(12)
})

test('a push with priority first overtakes those with priority mass of its host', () => {
  const mass = pushes('a', 'mass', 1000)
  const fleet = opened('a')
  expect(fleet.chooser.choose(mass, 0)).toHaveLength(maxPerHost)
  const rest = [...mass.slice(maxPerHost), ...pushes('a', 'first', 1)]
  expect(fleet.chooser.choose(rest, 0)).toEqual([])
  fleet.hosts.end('a', 0, true)
  expect(fleet.chooser.choose(rest, 0)).toEqual(rest.slice(-1))
})

test('when mass pushes to other hosts use all slots, a first push waits for one turn', () => {
  const busy = ['a', 'b', 'c', 'd', 'e']
  const mass = busy.flatMap((host) => pushes(host, 'mass', 20))
  const fleet = opened(...busy, 'quiet')
  const begun = new Set(fleet.chooser.choose(mass, 0))
  expect(begun.size).toBe(maxAtOnce)
  const [direct] = pushes('quiet', 'first', 1)
  const rest = [...mass.filter((push) => !begun.has(push)), ...(direct ? [direct] : [])]
  fleet.hosts.end('a', 0, true)
  expect(fleet.chooser.choose(rest, 0)).toEqual([direct])
})

test('first pushes to other hosts do not block mass pushes', () => {
  const busy = ['a', 'b', 'c', 'd']
  const mass = pushes('quiet', 'mass', 10)
  const order = sent(opened(...busy, 'quiet'), [...busy.flatMap((host) => pushes(host, 'first', 50)), ...mass])
  expect(order.slice(0, 100)).toEqual(expect.arrayContaining(mass))
})

test('priorities also share the turns of a host that is not known to be healthy', () => {
  const { hosts, chooser } = opened()
  const due = [...pushes('a', 'mass', 30), ...pushes('a', 'first', 30)]
  const order: PushPriority[] = []
  for (let turn = 0; turn < 10; turn++) {
    const [push, ...others] = chooser.choose(due, turn * 100_000)
    expect(others).toEqual([])
    order.push(...(push ? [push.lane] : []))
    due.splice(
      due.findIndex((one) => one === push),
      1,
    )
    hosts.end('a', turn * 100_000, false)
  }
  expect(order.filter((lane) => lane === 'mass')).toHaveLength(2)
})
