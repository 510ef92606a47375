/**
 * The people in the matrix, each with sockets on both nodes: ada, the main actor, also with a second socket on one node
 * and the token of another web client on the other; bob and dora, members of the channel; nina, in the hall only
 * because it is universal; ben, banned from both; leo, who left the channel; rex, who was removed from it; adam, an
 * administrator who never joined; dan, denied the hall by a decision; sid, who is about to sign out. dora will be
 * deleted.
 */
export const names = ['ada', 'bob', 'dora', 'nina', 'ben', 'leo', 'rex', 'adam', 'dan', 'sid'] as const
export type Name = (typeof names)[number]

const but = (...others: Name[]) => names.filter((name) => !others.includes(name))

export const everyone: Name[] = [...names]
/** Members of the channel. */
export const channel: Name[] = ['ada', 'bob', 'dora']
/** Effective members of the hall, a universal room. */
export const hall = but('ben', 'dan')
/** Members of the channel while it is universal. */
export const openChannel = but('ben')
/** Participants of the direct message. */
export const pair: Name[] = ['ada', 'bob']

export const without = (group: Name[], ...others: Name[]): Name[] => group.filter((name) => !others.includes(name))
export const and = (group: Name[], ...others: Name[]): Name[] => [...group, ...others]
