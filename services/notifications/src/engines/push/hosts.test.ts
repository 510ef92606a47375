import { expect, test } from '@jest/globals'
import { Hosts, maxAtOnce, maxPerHost } from './hosts.ts'

const begun = (hosts: Hosts, name: string, times: number, now = 0) =>
  Array.from({ length: times }, () => hosts.begin(name, now)).filter(Boolean).length

function well(hosts: Hosts, name: string, now = 0) {
  expect(hosts.begin(name, now)).toBe(true)
  hosts.end(name, now, true)
}

test('a host gets one push at a time until it is known to be healthy, then a few', () => {
  const hosts = new Hosts(1000)
  expect(begun(hosts, 'a', 3)).toBe(1)
  hosts.end('a', 0, true)
  expect(begun(hosts, 'a', 9)).toBe(maxPerHost)
  expect(hosts.free).toBe(maxAtOnce - maxPerHost)
})

test('hanging hosts leave slots for healthy ones', () => {
  const hosts = new Hosts(1000)
  well(hosts, 'good')
  for (let n = 0; n < 100; n++) hosts.begin(`hanging-${n}`, 0)
  expect(begun(hosts, 'good', 9)).toBe(maxPerHost)
})

test('no more pushes are in flight than a process may have', () => {
  const hosts = new Hosts(1000)
  for (let n = 0; n < 9; n++) well(hosts, `good-${n}`)
  const all = Array.from({ length: 9 }, (_, n) => begun(hosts, `good-${n}`, 4)).reduce((a, b) => a + b)
  expect(all).toBe(maxAtOnce)
  expect(hosts.free).toBe(0)
})

test('the pause after failures of a host grows, to at most a minute', () => {
  const hosts = new Hosts(1000)
  let now = 0
  for (const pause of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    expect(hosts.begin('a', now)).toBe(true)
    hosts.end('a', now, false)
    expect(hosts.begin('a', now + pause - 1)).toBe(false)
    now += pause
  }
  well(hosts, 'a', now)
  expect(begun(hosts, 'a', 9, now)).toBe(maxPerHost)
})

test('a push that was not sent says nothing about the host', () => {
  const hosts = new Hosts(1000)
  well(hosts, 'a')
  hosts.begin('a', 0)
  hosts.end('a', 0)
  expect(begun(hosts, 'a', 9)).toBe(maxPerHost)
})
