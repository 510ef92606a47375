import { expect, test } from '@jest/globals'
import type { Subscriber } from '../hub/subscriber.ts'
import { createHintControl } from './withhold-hints.ts'

function socket(isOpen = true) {
  const topics: string[] = ['hints']
  return {
    topics,
    isOpen,
    credentialId: undefined,
    buffered: 0,
    subscribe: (topic: string) => void topics.push(topic),
    unsubscribe: (topic: string) => void topics.splice(topics.indexOf(topic), 1),
    end: () => undefined,
  } satisfies Subscriber & { topics: string[] }
}

test('who is behind hears no hints until everything is taken', () => {
  const [slow, quick, opening] = [socket(), socket(), socket(false)]
  const control = createHintControl(new Set([slow, quick, opening]))
  slow.buffered = opening.buffered = 65_537
  control()
  control()
  expect([slow.topics, quick.topics, opening.topics]).toEqual([[], ['hints'], ['hints']])
  slow.buffered = 65_536
  control()
  control()
  expect(slow.topics).toEqual(['hints'])
})
