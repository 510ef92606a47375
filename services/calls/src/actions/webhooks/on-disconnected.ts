import type { Connection } from '../../domain/connection.ts'
import { endWhenEmpty } from './end-when-empty.ts'
import { takeOnce, type Told } from './told.ts'

/** A connection is over; a later one of the same person is not. */
export async function onDisconnected(told: Told, userId: string, connection: Connection): Promise<void> {
  const isEmpty = await takeOnce(told, [userId], (call) => {
    call.hear(userId, { ...connection, disconnected: true })
    return call.present().length === 0
  })
  if (typeof isEmpty === 'object' && isEmpty.result) await endWhenEmpty(told)
}
