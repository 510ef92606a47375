import { describe, expect, test } from '@jest/globals'
import { longestDelayMs, ReplayBuffer, type ReplayFrame } from './replay-buffer.ts'

const windowMs = 60_000
const kib = 1024

const newBuffer = (options: { maxBytes?: number; maxReplayBytes?: number } = {}) => {
  const buffer = new ReplayBuffer({ windowMs, maxBytes: 1024 * kib, maxReplayBytes: 512 * kib, ...options })
  buffer.setCompleteSince(-longestDelayMs)
  return buffer
}

const frame = (name: string, ...topics: string[]): ReplayFrame => ({ bytes: Buffer.from(name), topics })
const throttled = (name: string, subject: string): ReplayFrame => ({
  ...frame(name, 'everyone'),
  throttleKey: { subject, property: 'profile' },
})

/** Adds events a second apart, the first at ten seconds; their positions are p1, p2, ... */
function add(buffer: ReplayBuffer, ...events: ReplayFrame[][]): void {
  for (const [i, frames] of events.entries())
    buffer.add({ position: `p${i + 1}`, storedAtMs: 10_000 + i * 1_000, frames })
}

const missed = (buffer: ReplayBuffer, position: string, topics: string[], userId = 'Uanna') => {
  const replay = buffer.replaySince(position, userId, topics)
  return 'frames' in replay ? replay.frames.map((bytes) => Buffer.from(bytes).toString()) : replay.refusal
}

describe('the frames that a socket missed', () => {
  test('are those of its topics after the position, in stream order', () => {
    const buffer = newBuffer()
    add(buffer, [frame('a1', 'a')], [frame('b1', 'b')], [], [frame('c1', 'c')], [frame('a2', 'a')], [frame('b2', 'b')])
    expect(missed(buffer, 'p1', ['b', 'a'])).toEqual(['b1', 'a2', 'b2'])
    expect(missed(buffer, 'p3', ['a', 'b'])).toEqual(['a2', 'b2'])
    expect(missed(buffer, 'p6', ['a', 'b', 'c'])).toEqual([])
    expect(missed(buffer, 'p1', ['nobody'])).toEqual([])
  })

  test('include all frames of the event at the position if it has several', () => {
    const buffer = newBuffer()
    add(buffer, [frame('a1', 'a')], [frame('a2', 'a'), frame('for Anna', 'user')])
    expect(missed(buffer, 'p2', ['a', 'user'])).toEqual(['a2', 'for Anna'])
  })

  test('include an event once, even if it was sent to a room and to a person', () => {
    const buffer = newBuffer()
    add(buffer, [], [frame('joined', 'a'), frame('joined', 'user')], [frame('joined', 'a')])
    expect(missed(buffer, 'p1', ['user', 'a'])).toEqual(['joined', 'joined'])
  })

  test('include the newest throttled changes, even from before the position', () => {
    const buffer = newBuffer()
    const changes = [throttled('name 1', 'Bert'), throttled('name 2', 'Bert'), throttled('name', 'Carl')].map((one) => [
      one,
    ])
    add(buffer, [], ...changes, [frame('a1', 'a')])
    expect(missed(buffer, 'p5', ['a', 'everyone'])).toEqual(['name 2', 'name'])
    expect(missed(buffer, 'p1', ['a', 'everyone'])).toEqual(['name 2', 'name', 'a1'])
    buffer.forget('Carl')
    expect(missed(buffer, 'p5', ['a', 'everyone'])).toEqual(['name 2'])
    const later = { position: 'p6', storedAtMs: 14_000 + windowMs + longestDelayMs, frames: [] }
    buffer.add(later)
    expect(missed(buffer, 'p6', ['a', 'everyone'])).toEqual([])
  })
})

describe('a buffer refuses a position', () => {
  test('that is unknown', () => {
    const buffer = newBuffer()
    add(buffer, [frame('a1', 'a')])
    expect(missed(buffer, 'p2', ['a'])).toBe('unknown_position')
    expect(missed(buffer, '', ['a'])).toBe('unknown_position')
  })

  test('so close to the start that throttled changes may be missing', () => {
    const buffer = new ReplayBuffer({ windowMs, maxBytes: kib * kib, maxReplayBytes: kib })
    for (const [position, storedAtMs] of [
      ['p1', 50_000],
      ['p2', 50_000 + longestDelayMs - 1],
      ['p3', 50_000 + longestDelayMs],
    ] as const)
      buffer.add({ position, storedAtMs, frames: [frame(position, 'a')] })
    expect(missed(buffer, 'p1', ['a'])).toBe('unknown_position')
    expect(missed(buffer, 'p2', ['a'])).toBe('unknown_position')
    expect(missed(buffer, 'p3', ['a'])).toEqual([])
  })

  test('that is older than the window, but never the newest one', () => {
    const buffer = newBuffer()
    add(buffer, [frame('a1', 'a')], [frame('a2', 'a')])
    buffer.add({ position: 'later', storedAtMs: 11_000 + windowMs + longestDelayMs, frames: [] })
    expect(missed(buffer, 'p1', ['a'])).toBe('unknown_position')
    buffer.add({ position: 'much later', storedAtMs: 10 * windowMs, frames: [] })
    expect(missed(buffer, 'p2', ['a'])).toBe('unknown_position')
    expect(missed(buffer, 'much later', ['a'])).toEqual([])
  })

  test('whose event no longer fits into the memory', () => {
    const buffer = newBuffer({ maxBytes: 128 * kib })
    const big = 'x'.repeat(10 * kib)
    add(buffer, ...Array.from({ length: 20 }, (_, i) => [frame(`${i} ${big}`, 'a', `only ${i}`)]))
    expect(missed(buffer, 'p5', ['a'])).toBe('unknown_position')
    expect(missed(buffer, 'p20', ['a'])).toEqual([])
    expect(missed(buffer, 'p19', ['a'])).toEqual([expect.stringMatching(/^19 x/)])
  })

  test('whose event no longer fits, although throttled changes do', () => {
    const buffer = newBuffer({ maxBytes: 128 * kib })
    const big = 'x'.repeat(10 * kib)
    add(buffer, [throttled('name', 'Bert')], ...Array.from({ length: 20 }, () => [frame(big, 'a')]))
    expect(missed(buffer, 'p1', ['a'])).toBe('unknown_position')
    expect(missed(buffer, 'p21', ['a'])).toEqual(['name'])
  })

  test("from before a change of this person's or everybody's access", () => {
    const buffer = newBuffer()
    add(buffer, [], [])
    buffer.recordAccessChange('Uanna')
    buffer.add({ position: 'joined', storedAtMs: 12_000, frames: [frame('a1', 'a')] })
    expect(missed(buffer, 'p2', ['a'])).toBe('access_changed')
    expect(missed(buffer, 'p2', ['a'], 'Ubert')).toEqual(['a1'])
    expect(missed(buffer, 'joined', ['a'])).toEqual([])
    buffer.recordEveryonesAccessChange()
    buffer.add({ position: 'decided', storedAtMs: 13_000, frames: [] })
    expect(missed(buffer, 'joined', ['a'], 'Ubert')).toBe('access_changed')
    expect(missed(buffer, 'decided', ['a'], 'Ubert')).toEqual([])
  })

  test('after which more was published than one socket may be sent', () => {
    const buffer = newBuffer({ maxReplayBytes: 5 })
    add(buffer, [], [frame('12345', 'a')], [frame('6', 'a')])
    expect(missed(buffer, 'p1', ['a'])).toBe('too_much')
    expect(missed(buffer, 'p2', ['a'])).toEqual(['6'])
  })

  test('from before a gap in the events', () => {
    const buffer = newBuffer()
    add(buffer, [frame('a1', 'a')])
    buffer.clear()
    buffer.add({ position: 'p2', storedAtMs: 50_000, frames: [frame('a2', 'a')] })
    expect(missed(buffer, 'p1', ['a'])).toBe('unknown_position')
    expect(missed(buffer, 'p2', ['a'])).toBe('unknown_position')
    buffer.add({ position: 'p3', storedAtMs: 50_000 + longestDelayMs, frames: [] })
    expect(missed(buffer, 'p3', ['a'])).toEqual([])
  })
})

test('a buffer holds only the last minutes', () => {
  const buffer = newBuffer({ maxBytes: 10_000 * kib })
  for (let i = 1; i <= 100_000; i++)
    buffer.add({ position: `p${i}`, storedAtMs: i * 100, frames: [frame(`${i}`, 'a', `room ${i % 7}`)] })
  const seconds = (windowMs + longestDelayMs) / 1000
  expect(missed(buffer, `p${100_000 - 10 * seconds - 1}`, ['a'])).toBe('unknown_position')
  expect(missed(buffer, 'p99990', ['room 0'])).toEqual(['99995'])
  expect(missed(buffer, `p${100_000 - 590}`, ['a'])).toHaveLength(590)
})
