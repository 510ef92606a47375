export type Outcome = 'change' | 'nothing'
