drop function headrace._grant_gates_to_tenants;
drop function headrace.gate_facts;
drop function headrace._claim_gated;
