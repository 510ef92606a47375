import { afterEach } from '@jest/globals'
import { fleet } from './fleet.ts'
import type { Person } from './people.ts'
import { Socket } from '@parley/testkit/realtime-socket'

export function socketsPerTest() {
  const open: Socket[] = []
  afterEach(() => open.splice(0).forEach((socket) => socket[Symbol.dispose]()))
  const listenAt = async (person: Person, base: string) => {
    const socket = await Socket.subscribe(base, person.token)
    open.push(socket)
    return socket
  }
  const listen = (person: Person) => Promise.all(fleet().realtimeNodes.map((node) => listenAt(person, node)))
  return { listen, listenAt }
}
