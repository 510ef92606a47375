import { afterEach } from '@jest/globals'
import { fleet } from './fleet.ts'
import type { Person } from './people.ts'
import { Socket } from './socket.ts'

/** Returns functions that open sockets, and closes these sockets after each test of the file. */
export function socketsPerTest() {
  const open: Socket[] = []
  afterEach(() => open.splice(0).forEach((socket) => socket[Symbol.dispose]()))
  const listenAt = async (person: Person, base: string) => {
    const socket = await Socket.subscribe(base, person.token)
    open.push(socket)
    return socket
  }
  /** One socket at each realtime node. */
  const listen = (person: Person) => Promise.all(fleet().realtimeNodes.map((node) => listenAt(person, node)))
  return { listen, listenAt }
}
