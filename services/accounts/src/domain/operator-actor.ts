/** Operators act without an account. */
export const operatorActorId = ''
