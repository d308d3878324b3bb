/** Words of questions by what they are for. Kept as stems where a question's words are compared as stems. */
import { stem } from './words.js';

const list = (text: string): string[] => text.trim().split(/\s+/);

/** Words that name nothing which could be looked up. */
const FILLERS = list(`
  a about after again against ago all am an and any anybody anyone anything appear appeared are around as ask at back be
  became because been before began begin being between but by can cannot check come could day did do does doing done
  during each either else end ever every everything explain few find first following for from gave get getting give go
  going got had happen happened happening has have having he hello help her here hey him his hour how i if in into is it
  its just keep kept kindly know last late lately latest least less let like list look looking lot made make many may me
  might mine minute moment month more morning most much must my name need never new next night no not now number occur
  occurred of off often ok on once one ones only or other our out over past people perhaps please quite rather really
  recent recently report right said same say says see seem seemed seen several shall she should show showed shown shows
  since so some somebody someone something still such sudden suddenly sure take tell than thank thanks that the their
  them then there these they thing this those through time times to today together tonight too try trying understand
  until up us use used using very want was we week well went were what when where which while who whole whom whose why
  will with within without work working would year yesterday yet you your afternoon evening utc clock oclock mean go
  went investigate analyse analyze diagnose figure noon midnight count total amount average top highest lowest largest
  biggest per different distinct group grouped caused causing cause reason root-cause explanation behind currently
  instead also both own really actually exactly roughly compare compared
`);

/** Nouns that fit every question and so narrow none down. */
const GENERIC = list(`
  service services server servers system systems application applications app apps log logs entry entries line lines data
  database databases table tables row rows record records user users customer-facing thing message messages event events
  environment production prod platform site website backend frontend component components infrastructure host hosts
  request requests call calls response responses evidence
`);

/** Words for a trouble itself, not for where it is. */
const SYMPTOMS = list(`
  slow slower slowly slowness slowing sluggish error errors erroring fail fails failed failing failure failures down
  outage timeout timeouts latency latencies broken break breaks crash crashed crashes crashing hang hangs hanging stuck
  unavailable unreachable problem problems issue issues incident incidents degraded degradation spike spikes spiking
  wrong bad warning warnings warn exception exceptions fatal critical alert alerts trouble symptom symptoms impact
  performance delayed delay delays dropped dropping refuse refused rejecting rejected
`);

const stems = (words: readonly string[]): ReadonlySet<string> => new Set(words.map(stem));

export const FILLER_STEMS = stems(FILLERS);
export const GENERIC_STEMS = stems(GENERIC);
export const SYMPTOM_STEMS = stems(SYMPTOMS);

/** Words that mean much the same in logs and schemas. A family is looked through where a word itself is not found. */
const FAMILIES: readonly (readonly string[])[] = [
  list('login logins logon signin password auth authentication authenticate session'),
  list('fail failed failure error invalid denied refused reject rejected unsuccessful'),
  list(
    'earn earned revenue sale sales sold sell income turnover amount paid pay payment spend spent takings',
  ),
  list('connect connection connections connected session'),
  list('start started starting begin began launch boot'),
  list('stop stopped shutdown terminate terminated exit exited'),
  list('restart restarted reboot respawn'),
  list('delete deleted remove removed drop dropped'),
  list('buy bought purchase purchased order ordered'),
  list('rent rented rental'),
  list('timeout timeouts expired deadline'),
];

const FAMILY_OF = new Map<string, ReadonlySet<string>>();
for (const family of FAMILIES) {
  const members = new Set(family.map(stem));
  for (const member of members)
    FAMILY_OF.set(member, new Set([...(FAMILY_OF.get(member) ?? []), ...members]));
}

/** The stems that may stand for `wordStem`, itself left out. */
export function relatedStems(wordStem: string): string[] {
  return [...(FAMILY_OF.get(wordStem) ?? [])].filter((other) => other !== wordStem);
}

/** Words for a quantity of money, and so for a numeric column. */
export const MONEY_STEMS: ReadonlySet<string> = stems(
  list(
    'earn revenue sale sales sell income turnover amount paid pay spend takings worth value money cost price profit',
  ),
);
