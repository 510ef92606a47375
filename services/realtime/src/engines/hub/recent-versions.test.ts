import { create } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { describe, expect, test } from '@jest/globals'
import { EventSchema } from '@parley/contracts/internal'
import { RecentVersions } from './recent-versions.ts'

const event = (aggregateId: string, version: bigint, id = `${aggregateId}-${version}`) =>
  create(EventSchema, { id, aggregateType: 'room', aggregateId, version })

describe('the memory of recent versions', () => {
  test('accepts new events; refuses duplicates, and versions before the first received', () => {
    const seen = new RecentVersions()
    expect(seen.admit(event('R1', 2n))).toBe(true)
    expect(seen.admit(event('R1', 2n))).toBe(false)
    expect(seen.admit(event('R1', 1n))).toBe(false)
    expect(seen.admit(event('R1', 3n))).toBe(true)
    expect(seen.admit(event('R2', 1n))).toBe(true)
  })

  test('distinguishes two events with one version', () => {
    const seen = new RecentVersions()
    expect(seen.admit(event('R1', 2n, 'Ea'))).toBe(true)
    expect(seen.admit(event('R1', 2n, 'Eb'))).toBe(true)
    expect(seen.admit(event('R1', 2n, 'Ea'))).toBe(false)
  })

  test('recognises events by id after a restore, regardless of the clock', () => {
    const seen = new RecentVersions()
    const eventOf = (version: bigint, id: string, ms = 100_000) => ({
      ...event('R1', version, id),
      occurredAt: timestampFromMs(ms),
    })
    for (const version of [7n, 8n, 9n]) expect(seen.admit(eventOf(version, `R1-${version}`))).toBe(true)
    expect(seen.admit(eventOf(8n, 'Elost', 99_000))).toBe(true)
    expect(seen.admit(eventOf(9n, 'Enext', 99_500))).toBe(true)
    // The restore also lost which events had been published, so they are published again.
    for (const id of ['R1-7', 'Elost', 'Enext']) expect(seen.admit(eventOf(7n, id))).toBe(false)
  })

  test('recognises events by version once their ids are forgotten', () => {
    const seen = new RecentVersions(2)
    for (const version of [7n, 8n, 9n]) expect(seen.admit(event('R1', version))).toBe(true)
    for (const roomId of ['R2', 'R3']) seen.admit(event(roomId, 1n))
    expect(seen.admit(event('R1', 7n))).toBe(false)
    expect(seen.admit(event('R1', 9n))).toBe(false)
    expect(seen.admit(event('R1', 9n, 'Elost'))).toBe(true)
  })

  test('accepts a lower version of a later event, as after a restore', () => {
    const seen = new RecentVersions()
    const at = (version: bigint, ms: number) => ({
      ...event('R1', version, `E${version}-${ms}`),
      occurredAt: timestampFromMs(ms),
    })
    expect(seen.admit(at(9n, 100_000))).toBe(true)
    expect(seen.admit(at(8n, 101_000))).toBe(false)
    expect(seen.admit(at(8n, 160_000))).toBe(true)
    expect(seen.admit(at(8n, 160_000))).toBe(false)
    expect(seen.admit(at(9n, 161_000))).toBe(true)
  })

  test.each(['user', 'layout', 'notification'])('recognises events of a %s by id alone', (aggregateType) => {
    const seen = new RecentVersions()
    const eventOf = (id: string, version: bigint) => ({ ...event('U1', version, id), aggregateType })
    expect(seen.admit(eventOf('Ea', 2n))).toBe(true)
    expect(seen.admit(eventOf('Eb', 1n))).toBe(true)
    expect(seen.admit(eventOf('Eb', 1n))).toBe(false)
  })

  test('forgets versions after two generations without events, not before', () => {
    const seen = new RecentVersions(2)
    seen.admit(event('R1', 5n))
    seen.admit(event('R2', 1n))
    seen.admit(event('R3', 1n))
    expect(seen.admit(event('R1', 4n))).toBe(false)
    for (const id of ['R4', 'R5', 'R6', 'R7']) seen.admit(event(id, 1n))
    expect(seen.admit(event('R1', 4n))).toBe(true)
  })
})
