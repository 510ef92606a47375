import { setTimeout as sleep } from 'node:timers/promises'
import { MessageService } from '@parley/contracts/api'
import type { HttpCaller } from '../load/http-caller.ts'
import type { Sockets } from '../load/sockets.ts'
import { summary, type Timing } from '../load/timing.ts'
import { body } from './posting.ts'

const { createMessage } = MessageService.method

/** Number of posts one after the other; the first `warmUp` are not measured. */
const turns = { posts: 110, warmUp: 10 }

/** Posts at a fixed rate; the first `warmUp` are not measured. */
export const steadyPosts = { perSecond: 50, posts: 450, warmUp: 50 }

/**
 * Posts one message after the other, each when all sockets have received the one before. Returns the number of posts,
 * the time from a post until the last receipt (`total`), and from the first receipt to the last (`spread`).
 */
export async function postInTurn(
  http: HttpCaller,
  sockets: Sockets,
  roomId: string,
): Promise<{ posts: number; total: Timing; spread: Timing }> {
  const totals: number[] = []
  const spreads: number[] = []
  for (let n = 0; n < turns.posts; n++) {
    const received = sockets.expectEvent(({ event }) => event.case === 'messagePosted' && event.value.roomId === roomId)
    const start = performance.now()
    const [{ first, last }] = await Promise.all([received, http.call(createMessage, { roomId, body })])
    if (n < turns.warmUp) continue
    totals.push(last - start)
    spreads.push(last - first)
  }
  const seconds = totals.reduce((sum, ms) => sum + ms, 0) / 1000
  return { posts: turns.posts, total: summary(totals, seconds), spread: summary(spreads, seconds) }
}

/**
 * Posts at a fixed rate, even if earlier messages are still being delivered. Returns the number of posts, and the time
 * from a post until the last socket has received it.
 */
export async function postSteadily(
  http: HttpCaller,
  sockets: Sockets,
  roomId: string,
): Promise<{ posts: number; total: Timing }> {
  const { perSecond, posts, warmUp } = steadyPosts
  const allReceived = sockets.receiveMessages(roomId, posts * sockets.size)
  const begin = performance.now()
  const post = async (): Promise<{ start: number; id: string }> => {
    const start = performance.now()
    const { message } = await http.call(createMessage, { roomId, body })
    return { start, id: message?.id ?? '' }
  }
  const posting: Promise<{ start: number; id: string }>[] = []
  for (let n = 0; n < posts; n++) {
    await sleep(Math.max(0, begin + (n * 1000) / perSecond - performance.now()))
    posting.push(post())
  }
  const [posted, receivedAt] = [await Promise.all(posting), await allReceived]
  const took = posted.slice(warmUp).map(({ start, id }) => (receivedAt.get(id) ?? Number.NaN) - start)
  return { posts, total: summary(took, (posts - warmUp) / perSecond) }
}
