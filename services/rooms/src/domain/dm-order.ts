type State = { empty: boolean; lastMessageAt: Date | undefined }

export function dmsWithMessages<D extends { room: { id: string } }>(
  dms: readonly D[],
  states: ReadonlyMap<string, State>,
): D[] {
  const last = ({ room }: D) => states.get(room.id)?.lastMessageAt?.getTime() ?? 0
  return dms.filter(({ room }) => states.get(room.id)?.empty === false).sort((a, b) => last(b) - last(a))
}
