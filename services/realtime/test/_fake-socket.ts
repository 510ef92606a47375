import type { Subscriber } from '../src/engines/hub/subscriber.ts'

export function fakeSocket({ isOpen = true, buffered = 0 } = {}) {
  const topics = new Set<string>()
  return {
    isOpen,
    buffered,
    credentialId: undefined,
    subscribedTopics: () => [...topics].sort(),
    subscribe: (topic: string) => void topics.add(topic),
    unsubscribe: (topic: string) => void topics.delete(topic),
    isOlderThan: () => false,
    end: () => undefined,
  } satisfies Subscriber & { subscribedTopics: () => string[] }
}
