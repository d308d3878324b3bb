import { expect } from 'chai';
import fc from 'fast-check';
import { route } from '../../src/offline-analyst/stages/route.js';
import { RouterVerdict, type Intent } from '../../src/shared/domain/contracts/verdict.js';
import { canonicalJson } from '../../src/shared/domain/guards/canonical-json.js';

function intentOf(query: string, lastIntent: Intent | null = null): Intent {
  const payload = { query, conversation: [], last_intent: lastIntent, previous_turn: null };
  return RouterVerdict.parse(JSON.parse(route([{ role: 'user', content: canonicalJson(payload) }]).content))
    .intent;
}

const CASES: Record<Intent, string[]> = {
  DIAGNOSIS: [
    'Why is checkout slow?',
    'How many failed root logins does OpenSSH show, and from which addresses most?',
    'Which film categories earned most?',
    'Payments time out since 14:00',
    'What happened to the orders service last night?',
    'Why is checkout slow and what should we do about it?',
    'Are there errors in the gateway log?',
    'Why did the weather service return 503?',
    'checkout p99 5s',
    'Which tables have the most rows?',
  ],
  KNOWLEDGE_QUERY: [
    'What should I do about KubePodCrashLooping?',
    'How do I roll back a migration safely?',
    'What is the procedure for a full disk?',
    'Is there a runbook for lock waits?',
    'What does NodeClockSkewDetected mean?',
    'What should we do when the disk is full?',
    'Steps to renew a certificate',
  ],
  OUT_OF_SCOPE: [
    'What will the weather be tomorrow?',
    'Tell me a joke',
    'Write a poem about database errors',
    'Write a Python function that sorts a list',
    'Hello!',
    'thanks, how are you?',
    'What is the capital of France?',
    'How do I center a div in CSS?',
    'Who won the world cup?',
  ],
};

describe('KQ-1 RP-2a the offline analyst as Router', () => {
  for (const [intent, queries] of Object.entries(CASES))
    for (const query of queries)
      it(`${intent}: ${query}`, () => {
        expect(intentOf(query)).to.equal(intent);
      });

  it('gives a follow-up the intent of what it follows', () => {
    expect(intentOf('and what now?', 'KNOWLEDGE_QUERY')).to.equal('KNOWLEDGE_QUERY');
    expect(intentOf('And then?', 'DIAGNOSIS')).to.equal('DIAGNOSIS');
    expect(intentOf('why?', 'DIAGNOSIS')).to.equal('DIAGNOSIS');
    expect(intentOf('and what now?')).to.equal('DIAGNOSIS');
  });

  it('does not take a question of its own for a follow-up', () => {
    expect(intentOf('Why do payments fail since noon?', 'KNOWLEDGE_QUERY')).to.equal('DIAGNOSIS');
    expect(intentOf('Tell me a joke', 'DIAGNOSIS')).to.equal('OUT_OF_SCOPE');
  });

  it('answers every text with a valid verdict, and what it cannot read with the strictest path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(intentOf(text)).to.be.oneOf(['DIAGNOSIS', 'KNOWLEDGE_QUERY', 'OUT_OF_SCOPE']);
        const raw = route([{ role: 'user', content: text }]).content;
        expect(RouterVerdict.parse(JSON.parse(raw)).intent).to.equal('DIAGNOSIS');
      }),
    );
  });
});
