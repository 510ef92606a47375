import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, freeze } from '@parley/testkit'
import { fleet, reasonNotToFreeze } from '../src/fleet.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { waitUntilBothServe, processOf, waitUntilHealthy } from '../src/processes.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'

let owner: Person
let ada: Person
let bob: Person
beforeAll(async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
})
afterEach(waitUntilHealthy)

const why = reasonNotToFreeze()
const testOrSkip = why === undefined ? test : test.skip

testOrSkip(
  `without admin, people can chat, and a realtime node that is restarted serves once admin is back${why ?? ''}`,
  async () => {
    const roomId = await newRoom(owner, [ada, bob])
    using socket = await eventually(() => Socket.subscribe(fleet().realtimeNodes[0], bob.token))
    await socket.waitForMessage(await post(ada, roomId, 'before'))
    const killed = processOf('realtime', 1).pid
    {
      using _one = freeze(processOf('admin', 0).pid)
      using _other = freeze(processOf('admin', 1).pid)
      await socket.waitForMessage(await post(ada, roomId, 'meanwhile'))
      process.kill(killed, 'SIGKILL')
      for (let n = 0; n < 20; n++) await socket.waitForMessage(await post(ada, roomId, `meanwhile, ${n}`))
    }
    await waitUntilBothServe('realtime', [killed])
    using late = await eventually(() => Socket.subscribe(fleet().realtimeNodes[1], bob.token))
    const after = await post(ada, roomId, 'after')
    await late.waitForMessage(after)
    await socket.waitForMessage(after)
    expect(socket.isClosed).toBe(false)
  },
)
