type State = { empty: boolean; lastMessageAt: Date | undefined }

/** Conversations with messages, most recent first; empty ones are hidden. */
export function activeDms<D extends { room: { id: string } }>(
  dms: readonly D[],
  states: ReadonlyMap<string, State>,
): D[] {
  const last = ({ room }: D) => states.get(room.id)?.lastMessageAt?.getTime() ?? 0
  return dms.filter(({ room }) => states.get(room.id)?.empty === false).sort((a, b) => last(b) - last(a))
}
