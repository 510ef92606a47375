import { expect, test } from '@jest/globals'
import { Hosts, maxAtOnce, maxPerHost } from './hosts.ts'

const countStarted = (hosts: Hosts, name: string, times: number, now = 0) =>
  Array.from({ length: times }, () => hosts.begin(name, now)).filter(Boolean).length

function markHealthy(hosts: Hosts, name: string, now = 0) {
  expect(hosts.begin(name, now)).toBe(true)
  hosts.end(name, now, true)
}

test('a host gets one push at a time until it is known to be healthy, then up to four', () => {
  const hosts = new Hosts(1000)
  expect(countStarted(hosts, 'a', 3)).toBe(1)
  hosts.end('a', 0, true)
  expect(countStarted(hosts, 'a', 9)).toBe(maxPerHost)
  expect(hosts.freeSlots).toBe(maxAtOnce - maxPerHost)
})

test('hanging hosts leave slots for healthy ones', () => {
  const hosts = new Hosts(1000)
  markHealthy(hosts, 'good')
  for (let n = 0; n < 100; n++) hosts.begin(`hanging-${n}`, 0)
  expect(countStarted(hosts, 'good', 9)).toBe(maxPerHost)
})

test('a process has a limited number of pushes in flight', () => {
  const hosts = new Hosts(1000)
  for (let n = 0; n < 9; n++) markHealthy(hosts, `good-${n}`)
  const all = Array.from({ length: 9 }, (_, n) => countStarted(hosts, `good-${n}`, 4)).reduce((a, b) => a + b)
  expect(all).toBe(maxAtOnce)
  expect(hosts.freeSlots).toBe(0)
})

test('the pause after a failure of a host doubles, up to a minute', () => {
  const hosts = new Hosts(1000)
  let now = 0
  for (const pause of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    expect(hosts.begin('a', now)).toBe(true)
    hosts.end('a', now, false)
    expect(hosts.begin('a', now + pause - 1)).toBe(false)
    now += pause
  }
  markHealthy(hosts, 'a', now)
  expect(countStarted(hosts, 'a', 9, now)).toBe(maxPerHost)
})

test('a push that was not sent does not change the state of its host', () => {
  const hosts = new Hosts(1000)
  markHealthy(hosts, 'a')
  hosts.begin('a', 0)
  hosts.end('a', 0)
  expect(countStarted(hosts, 'a', 9)).toBe(maxPerHost)
})
