"""Where the intents of CLINC150 belong in an assistant of a company's documents. Intents that are a matter of taste (is
a balance in a document or in a ledger?) are left out.

- `talk`: pleasantries and questions about the assistant. Right: DIRECT.
- `everyday`: weather, time, sums, routes. Right: no knowledge (PLAN-7), with tools or without.
- `device`: orders to a telephone, a player, a diary. Right: no knowledge.
- `company`: rules and ways of doing things that stand in handbooks. Right: the knowledge base is asked.
- `out_of_scope`: what CLINC150 has no intent for, mostly questions about the world. Right: no knowledge. A planner that
  does not know the documents cannot tell all of them from `company`; asked in vain, the answer is "not in the documents".
"""

from __future__ import annotations

TALK, EVERYDAY, DEVICE, COMPANY, OUT_OF_SCOPE = "talk", "everyday", "device", "company", "out_of_scope"

_INTENTS = {
    TALK: """are_you_a_bot do_you_have_pets fun_fact goodbye greeting how_old_are_you meaning_of_life tell_joke thank_you
        what_are_your_hobbies what_can_i_ask_you what_is_your_name where_are_you_from who_do_you_work_for who_made_you
        yes no maybe""",
    EVERYDAY: """calculator current_location date directions distance exchange_rate flip_coin measurement_conversion
        roll_dice spelling time timezone traffic translate weather""",
    DEVICE: """alarm calendar_update change_accent change_speed change_volume find_phone make_call next_song play_music
        reminder reminder_update reset_settings share_location shopping_list_update smart_home sync_device text timer
        todo_list_update update_playlist whisper_mode""",
    COMPANY: """carry_on credit_limit_change direct_deposit improve_credit_score insurance insurance_change
        international_fees international_visa lost_luggage order_checks payday pin_change pto_request redeem_rewards
        replacement_card_duration report_fraud rollover_401k taxes travel_alert vaccines w2""",
}
KINDS = {intent: kind for kind, intents in _INTENTS.items() for intent in intents.split()}
