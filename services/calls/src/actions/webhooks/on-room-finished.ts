import { endWhenEmpty } from './end-when-empty.ts'
import { takeOnce, type Told } from './told.ts'

/** The media server closed its room, which ends the call; it may have opened another one for the same call since. */
export async function onRoomFinished(told: Told, mediaRoomSid: string, closedAt: Date): Promise<void> {
  const outcome = await takeOnce(told, [], (call) => call.closeMediaRoom(mediaRoomSid, closedAt))
  if (typeof outcome === 'object' && outcome.result) await endWhenEmpty(told)
}
