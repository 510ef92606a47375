/** Whether a call must write a change, or finds everything as requested and writes nothing. */
export type Outcome = 'change' | 'nothing'
