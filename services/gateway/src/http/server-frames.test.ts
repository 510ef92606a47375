import { buffer } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { serverFrame, ServerFrames } from './server-frames.ts'

const last = serverFrame('close', Buffer.from([3, 244]))

function frame(payload: number, { final = true, opcode = 2 } = {}): Buffer {
  const first = (final ? 0x80 : 0) | opcode
  const bytes = Buffer.alloc(payload, 7)
  if (payload < 126) return Buffer.concat([Buffer.from([first, payload]), bytes])
  const long = payload > 65_535
  const length = Buffer.alloc(long ? 8 : 2)
  if (long) length.writeBigUInt64BE(BigInt(payload))
  else length.writeUInt16BE(payload)
  return Buffer.concat([Buffer.from([first, long ? 127 : 126]), length, bytes])
}

const message = fc.oneof(
  fc.constantFrom(0, 1, 125, 126, 300, 65_535, 65_536).map((size) => [frame(size)]),
  // A message in two fragments, with a ping between them.
  fc
    .tuple(fc.nat(200), fc.nat(200))
    .map(([one, two]) => [frame(one, { final: false }), frame(0, { opcode: 9 }), frame(two, { opcode: 0 })]),
)

test('after endWith, a stream ends after a whole message, with the given frame', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { minLength: 1, maxLength: 5 }),
      fc.nat(),
      fc.nat(),
      async (messages, cut, end) => {
        const all = Buffer.concat(messages.flat())
        const size = 1 + (cut % 4000)
        const endAt = end % (all.length + 1)
        const frames = new ServerFrames()
        const received = buffer(frames)
        let requested = false
        for (let at = 0; at < all.length; at += size) {
          if (!requested && at >= endAt) frames.endWith(last)
          requested ||= at >= endAt
          frames.write(all.subarray(at, at + size))
        }
        if (!requested) frames.endWith(last)
        frames.end()
        const whole = (await received).subarray(0, -last.length)
        expect((await received).subarray(-last.length).equals(last)).toBe(true)
        const ends = messages.map((_, n) => Buffer.concat(messages.slice(0, n + 1).flat()).length)
        expect([0, ...ends]).toContain(whole.length)
        expect(whole.equals(all.subarray(0, whole.length))).toBe(true)
      },
    ),
  )
})

test('without endWith, a stream is forwarded unchanged', async () => {
  const frames = new ServerFrames()
  const received = buffer(frames)
  frames.write(frame(300).subarray(0, 17))
  frames.end(frame(300).subarray(17))
  expect(await received).toEqual(frame(300))
})
