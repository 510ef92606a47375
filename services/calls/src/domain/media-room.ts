export type MediaRoom = { serverId: string | undefined; dm: boolean; roomId: string; callId: string }

const form = /^(?:([A-Za-z0-9_-]+)\.)?(server|DM)_([A-Za-z0-9]+)@([A-Za-z0-9]+)$/

/** Each call has its own room at the media server. */
export const mediaRoomName = ({ serverId, dm, roomId, callId }: MediaRoom): string =>
  `${serverId === undefined ? '' : `${serverId}.`}${dm ? 'DM' : 'server'}_${roomId}@${callId}`

export function readMediaRoomName(name: string): MediaRoom | undefined {
  const [, serverId, kind, roomId, callId] = form.exec(name) ?? []
  if (roomId === undefined || callId === undefined) return undefined
  return { serverId, dm: kind === 'DM', roomId, callId }
}
