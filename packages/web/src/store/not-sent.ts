import { conversationOf, type Unsent } from './unsent.ts'

/**
 * The rooms and threads in which sending needs the user: the server has refused a message, or a file for which a
 * message waits. `blocked`: the latter.
 */
export function notSentIn(queue: readonly Unsent[], blocked: readonly string[]): string[] {
  const refused = queue.flatMap((one) => (one.state === 'refused' ? [conversationOf(one)] : []))
  return [...new Set([...refused, ...blocked])]
}
