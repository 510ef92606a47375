import { setTimeout as sleep } from 'node:timers/promises'
import { MessageService } from '@parley/contracts/api'
import type { HttpCaller } from '../load/http-caller.ts'
import type { Sockets } from '../load/sockets.ts'
import { summarize, type Timing } from '../load/timing.ts'
import { body } from './posting.ts'

const { createMessage } = MessageService.method

const sequentialPosts = { posts: 110, warmUp: 10 }

export const steadyPosts = { perSecond: 50, posts: 450, warmUp: 50 }

/**
 * Posts each message when all sockets have received the previous one. Returns the number of posts, warm-up included,
 * the time from a post to its last receipt (`total`), and from its first receipt to its last (`spread`).
 */
export async function postInTurn(
  http: HttpCaller,
  sockets: Sockets,
  roomId: string,
): Promise<{ posts: number; total: Timing; spread: Timing }> {
  const totals: number[] = []
  const spreads: number[] = []
  for (let n = 0; n < sequentialPosts.posts; n++) {
    const received = sockets.expectEvent(({ event }) => event.case === 'messagePosted' && event.value.roomId === roomId)
    const start = performance.now()
    const [{ first, last }] = await Promise.all([received, http.call(createMessage, { roomId, body })])
    if (n < sequentialPosts.warmUp) continue
    totals.push(last - start)
    spreads.push(last - first)
  }
  const seconds = totals.reduce((sum, ms) => sum + ms, 0) / 1000
  return { posts: sequentialPosts.posts, total: summarize(totals, seconds), spread: summarize(spreads, seconds) }
}

/**
 * Posts at a fixed rate, even while earlier messages are still being delivered. Returns the number of posts, warm-up
 * included, and the time from a post to its last receipt (`total`).
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
  return { posts, total: summarize(took, (posts - warmUp) / perSecond) }
}
