import { conversationOf, type Unsent } from './unsent.ts'

/**
 * The rooms and threads in which the user has to act before everything is sent, because the server has refused a
 * message or a file. `blocked`: rooms and threads with a message that waits for a refused file.
 */
export function notSentIn(queue: readonly Unsent[], blocked: readonly string[]): string[] {
  const refused = queue.flatMap((one) => (one.state === 'refused' ? [conversationOf(one)] : []))
  return [...new Set([...refused, ...blocked])]
}
