-- Numbers operations and entries within their project, in the order in which they were written. An
-- entry that is missing leaves a gap in every project that wrote later: whose it was is not known.

UPDATE operations SET number = counted.number
FROM (SELECT id, row_number() OVER (PARTITION BY project ORDER BY id) AS number
      FROM operations) AS counted
WHERE counted.id = operations.id;

UPDATE journal SET number = counted.number
FROM (SELECT sequence, row_number() OVER (PARTITION BY project ORDER BY sequence)
                       + sequence - row_number() OVER (ORDER BY sequence) AS number
      FROM journal) AS counted
WHERE counted.sequence = journal.sequence;
