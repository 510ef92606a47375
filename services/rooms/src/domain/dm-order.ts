type State = { empty: boolean; lastMessageAt: Date | undefined }

/**
 * Direct messages that are not empty, by their last message, newest first. Those unknown to messaging are left out too.
 */
export function dmsWithMessages<D extends { room: { id: string } }>(
  dms: readonly D[],
  states: ReadonlyMap<string, State>,
): D[] {
  const last = ({ room }: D) => states.get(room.id)?.lastMessageAt?.getTime() ?? 0
  return dms.filter(({ room }) => states.get(room.id)?.empty === false).sort((a, b) => last(b) - last(a))
}
