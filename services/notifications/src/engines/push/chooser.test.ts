import { expect, test } from '@jest/globals'
import type { DuePush } from '../../store/due-pushes.ts'
import { Chooser } from './chooser.ts'
import { Hosts, maxAtOnce, maxPerHost } from './hosts.ts'
import type { PushPriority } from '../../domain/push-priority.ts'

let lastId = 0n
const pushes = (host: string, lane: PushPriority, count: number): DuePush[] =>
  Array.from({ length: count }, () => ({ id: ++lastId, host, lane }))

function setUp(...healthyHosts: string[]) {
  const hosts = new Hosts(1000)
  for (const name of healthyHosts) {
    hosts.begin(name, 0)
    hosts.end(name, 0, true)
  }
  return { hosts, chooser: new Chooser(hosts) }
}

/** Chooses the next pushes whenever one ends. Returns all in the order in which they were chosen. */
function sendAll({ hosts, chooser }: ReturnType<typeof setUp>, due: readonly DuePush[]): DuePush[] {
  const order: DuePush[] = []
  const inFlight: DuePush[] = []
  for (let waiting = [...due]; waiting.length > 0 || inFlight.length > 0;) {
    const chosen = new Set(chooser.choose(waiting, 0))
    order.push(...chosen)
    inFlight.push(...chosen)
    waiting = waiting.filter((push) => !chosen.has(push))
    const ended = inFlight.shift()
    if (ended) hosts.end(ended.host, 0, true)
  }
  return order
}

test("each priority sends its oldest push first, and a host's turns are divided among priorities", () => {
  const mass = pushes('a', 'mass', 50)
  const first = pushes('a', 'first', 50)
  const order = sendAll(setUp('a'), [...mass, ...first])
  expect(order).toHaveLength(100)
  for (const [lane, group] of [['mass', mass] as const, ['first', first] as const])
    expect(order.filter((push) => push.lane === lane)).toEqual(group)
  expect(order.slice(0, 60).filter(({ lane }) => lane === 'mass')).toHaveLength(12)
})

test('a `first` push overtakes the waiting `mass` pushes to its host', () => {
  const mass = pushes('a', 'mass', 1000)
  const sending = setUp('a')
  expect(sending.chooser.choose(mass, 0)).toHaveLength(maxPerHost)
  const rest = [...mass.slice(maxPerHost), ...pushes('a', 'first', 1)]
  expect(sending.chooser.choose(rest, 0)).toEqual([])
  sending.hosts.end('a', 0, true)
  expect(sending.chooser.choose(rest, 0)).toEqual(rest.slice(-1))
})

test('when `mass` pushes to other hosts use all slots, a `first` push gets the next free one', () => {
  const busy = ['a', 'b', 'c', 'd', 'e']
  const mass = busy.flatMap((host) => pushes(host, 'mass', 20))
  const sending = setUp(...busy, 'quiet')
  const started = new Set(sending.chooser.choose(mass, 0))
  expect(started.size).toBe(maxAtOnce)
  const [direct] = pushes('quiet', 'first', 1)
  const rest = [...mass.filter((push) => !started.has(push)), ...(direct ? [direct] : [])]
  sending.hosts.end('a', 0, true)
  expect(sending.chooser.choose(rest, 0)).toEqual([direct])
})

test('`first` pushes to other hosts do not block `mass` pushes', () => {
  const busy = ['a', 'b', 'c', 'd']
  const mass = pushes('quiet', 'mass', 10)
  const order = sendAll(setUp(...busy, 'quiet'), [...busy.flatMap((host) => pushes(host, 'first', 50)), ...mass])
  expect(order.slice(0, 100)).toEqual(expect.arrayContaining(mass))
})

test('the turns of a host that is not known to be healthy are divided too', () => {
  const { hosts, chooser } = setUp()
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
