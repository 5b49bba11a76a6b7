; The queries of adaptive_avg_pool2d, in SMT-LIB 2. Each is answered on its own.

; query 1, z3: sat
; requires H ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |7| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 1))
(assert (not (>= |3| 1)))
(assert (>= |4| 0))
(assert (>= |3| 0))
(assert (<= 0 |5|))
(assert (<= |5| (+ |4| (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |1| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |2| (- 1))))
(assert (not (not (= (+ (- |quotient 1|) (* (- 1) |quotient 2|)) 0))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (- (* (+ |6| 1) |3|))) (< (- (* (+ |6| 1) |3|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (- (* (+ |6| 1) |3|))) (> (- (* (+ |6| 1) |3|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (* |6| |3|)) (< (* |6| |3|) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (* |6| |3|)) (> (* |6| |3|) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 2, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; requires mH ≥ 1
; requires mW ≥ 1
; forward: divisors and logarithms
; jvp: divisors and logarithms
; vjp x_bar: divisors and logarithms
; gradient mass is kept
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (not (not (= (+ (- |quotient 1|) (* (- 1) |quotient 2|)) 0))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 3, z3: sat
; requires W ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |7| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 1))
(assert (not (>= |3| 1)))
(assert (>= |4| 0))
(assert (>= |3| 0))
(assert (<= 0 |5|))
(assert (<= |5| (+ |4| (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |1| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |2| (- 1))))
(assert (not (not (= (+ (- |quotient 1|) (* (- 1) |quotient 2|)) 0))))
(assert (=> (> |2| 0) (and (<= (* |2| |quotient 1|) (- (* (+ |7| 1) |3|))) (< (- (* (+ |7| 1) |3|)) (+ (* |2| |quotient 1|) |2|)))))
(assert (=> (< |2| 0) (and (>= (* |2| |quotient 1|) (- (* (+ |7| 1) |3|))) (> (- (* (+ |7| 1) |3|)) (+ (* |2| |quotient 1|) |2|)))))
(assert (=> (> |2| 0) (and (<= (* |2| |quotient 2|) (* |7| |3|)) (< (* |7| |3|) (+ (* |2| |quotient 2|) |2|)))))
(assert (=> (< |2| 0) (and (>= (* |2| |quotient 2|) (* |7| |3|)) (> (* |7| |3|) (+ (* |2| |quotient 2|) |2|)))))
(check-sat)

; query 4, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (not (>= |0| 1)))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (>= |0| 1)))
(check-sat)

; query 5, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (not (>= |1| 1)))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (not (not (= (+ (- |quotient 1|) (* (- 1) |quotient 2|)) 0))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 6, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
; forward: reads and writes
; jvp: reads and writes
; vjp x_bar: reads and writes
; m = n is the identity
; gradient mass is kept
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
; m | n is plain pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 7, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (not (>= |1| 1)))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (<= |quotient 1| |3|))
(assert (<= |3| (+ (- |quotient 2|) (- 1))))
(assert (not (<= 0 |3|)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 8, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (not (>= |1| 1)))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (<= |quotient 1| |3|))
(assert (<= |3| (+ (- |quotient 2|) (- 1))))
(assert (not (< |3| |0|)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 9, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
; forward: reads and writes
; jvp: reads and writes
; vjp x_bar: reads and writes
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (<= |quotient 1| |3|))
(assert (<= |3| (+ (- |quotient 2|) (- 1))))
(assert (not (<= 0 |3|)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 10, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
; forward: reads and writes
; jvp: reads and writes
; vjp x_bar: reads and writes
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (<= |quotient 1| |3|))
(assert (<= |3| (+ (- |quotient 2|) (- 1))))
(assert (not (< |3| |0|)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 11, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (not (>= |1| 1)))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (<= |quotient 1| |3|))
(assert (<= |3| (+ (- |quotient 2|) (- 1))))
(assert (not (>= |1| 1)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 12, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (not (>= |0| 1)))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 13, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
; vjp x_bar: reads and writes
; gradient mass is kept
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 14, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (= |0| |1|))
(assert (not (= |1| |0|)))
(check-sat)

; query 15, z3: unsat, cvc5: unsat
; requires mH ≥ 1
; requires mW ≥ 1
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (<= 0 |0|))
(assert (= |1| |0|))
(assert (not (= |0| |1|)))
(check-sat)

; query 16, z3: sat
; requires mH ≥ 1
; requires mW ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 1))
(assert (not (>= |3| 1)))
(check-sat)

; query 17, z3: unsat, cvc5: unsat
; bins are non-empty and in bounds
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (not (>= |quotient 1| 0)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(check-sat)

; query 18, z3: unsat, cvc5: unsat
; bins are non-empty and in bounds
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (not (< |quotient 1| (- |quotient 2|))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 19, z3: unsat, cvc5: unsat
; bins are non-empty and in bounds
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (not (<= (- |quotient 1|) |0|)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(check-sat)

; query 20, z3: unsat, cvc5: unsat
; the first bin starts at 0, the last ends at n
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (not (= |quotient 1| 0)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (* 0 |0|)) (< (* 0 |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (* 0 |0|)) (> (* 0 |0|) (+ (* |1| |quotient 1|) |1|)))))
(check-sat)

; query 21, z3: unsat, cvc5: unsat
; the first bin starts at 0, the last ends at n
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (not (= (- |quotient 1|) |0|)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (- (* |1| |0|))) (< (- (* |1| |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (- (* |1| |0|))) (> (- (* |1| |0|)) (+ (* |1| |quotient 1|) |1|)))))
(check-sat)

; query 22, z3: unsat, cvc5: unsat
; there is no gap between neighbours
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 2))))
(assert (not (<= |quotient 1| (- |quotient 2|))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (* (+ |2| 1) |0|)) (< (* (+ |2| 1) |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (* (+ |2| 1) |0|)) (> (* (+ |2| 1) |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 23, z3: unsat, cvc5: unsat
; starts and ends are monotone
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 2))))
(assert (not (<= |quotient 1| |quotient 2|)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (* (+ |2| 1) |0|)) (< (* (+ |2| 1) |0|) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (* (+ |2| 1) |0|)) (> (* (+ |2| 1) |0|) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 24, z3: unsat, cvc5: unsat
; starts and ends are monotone
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 2))))
(assert (not (<= (- |quotient 1|) (- |quotient 2|))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (- (* (+ |2| 2) |0|))) (< (- (* (+ |2| 2) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (- (* (+ |2| 2) |0|))) (> (- (* (+ |2| 2) |0|)) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 25, z3: unsat, cvc5: unknown
; sizes differ by at most 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |quotient 3| () Int)
(declare-fun |quotient 4| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (<= 0 |3|))
(assert (<= |3| (+ |1| (- 1))))
(assert (not (<= (+ (- |quotient 1|) (* (- 1) |quotient 2|)) (+ (- |quotient 3|) (* (- 1) |quotient 4|) 1))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 3|) (- (* (+ |3| 1) |0|))) (< (- (* (+ |3| 1) |0|)) (+ (* |1| |quotient 3|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 3|) (- (* (+ |3| 1) |0|))) (> (- (* (+ |3| 1) |0|)) (+ (* |1| |quotient 3|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 4|) (* |3| |0|)) (< (* |3| |0|) (+ (* |1| |quotient 4|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 4|) (* |3| |0|)) (> (* |3| |0|) (+ (* |1| |quotient 4|) |1|)))))
(check-sat)

; query 26, z3: unsat, cvc5: unsat
; m | n: the windows are disjoint, k = s = n/m
; m | n: the bins partition the input
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
; m | n is plain pooling: VJP
(reset)
(declare-fun |0| () Int)
(assert (>= |0| 1))
(assert (not (not (= |0| 0))))
(check-sat)

; query 27, z3: unsat, cvc5: unsat
; m | n: the windows are disjoint, k = s = n/m
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (not (= (* |1| |0|) (* |0| |1|))))
(check-sat)

; query 28, z3: unsat, cvc5: unsat
; m | n: the windows are disjoint, k = s = n/m
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (not (= (+ (+ (* |1| |0|) |1|) (* (- 1) (* |1| |0|))) |1|)))
(check-sat)

; query 29, z3: unsat, cvc5: unsat
; m | n: the bins partition the input
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (not (<= (+ (* |1| |0|) |1|) (+ (* |1| |0|) |1|))))
(check-sat)

; query 30, z3: sat
; the bins partition the input
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 1))
(assert (>= |3| 1))
(assert (<= 0 |4|))
(assert (<= |4| (+ |2| (- 2))))
(assert (not (<= (- |quotient 1|) |quotient 2|)))
(assert (=> (> |2| 0) (and (<= (* |2| |quotient 1|) (- (* (+ |4| 1) |0|))) (< (- (* (+ |4| 1) |0|)) (+ (* |2| |quotient 1|) |2|)))))
(assert (=> (< |2| 0) (and (>= (* |2| |quotient 1|) (- (* (+ |4| 1) |0|))) (> (- (* (+ |4| 1) |0|)) (+ (* |2| |quotient 1|) |2|)))))
(assert (=> (> |2| 0) (and (<= (* |2| |quotient 2|) (* (+ |4| 1) |0|)) (< (* (+ |4| 1) |0|) (+ (* |2| |quotient 2|) |2|)))))
(assert (=> (< |2| 0) (and (>= (* |2| |quotient 2|) (* (+ |4| 1) |0|)) (> (* (+ |4| 1) |0|) (+ (* |2| |quotient 2|) |2|)))))
(check-sat)

; query 31, z3: unsat, cvc5: unsat
; not m | n: the first two bins overlap
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |quotient 3| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (not (= |0| (* |1| |quotient 1|))))
(assert (not (> (- |quotient 2|) |quotient 3|)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) |0|) (< |0| (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) |0|) (> |0| (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (- (* 1 |0|))) (< (- (* 1 |0|)) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (- (* 1 |0|))) (> (- (* 1 |0|)) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 3|) (* 1 |0|)) (< (* 1 |0|) (+ (* |1| |quotient 3|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 3|) (* 1 |0|)) (> (* 1 |0|) (+ (* |1| |quotient 3|) |1|)))))
(check-sat)

; query 32, z3: unsat, cvc5: unsat
; m = n is the identity
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (>= |0| 1))
(assert (= |0| |0|))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 33, z3: unsat, cvc5: unsat
; m = n is the identity
(reset)
(declare-fun |0| () Int)
(assert (>= |0| 1))
(assert (>= |0| 1))
(assert (= |0| |0|))
(assert (not (not (= |0| 0))))
(check-sat)

; query 34, z3: unsat, cvc5: unsat
; m = n is the identity
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (not (<= |0| |0|)))
(check-sat)

; query 35, z3: unsat, cvc5: unsat
; m = n is the identity
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (not (<= |0| (+ (+ |0| 1) (- 1)))))
(check-sat)

; query 36, z3: unsat, cvc5: unsat
; m = n is the identity
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |inverse of| (Real) Real)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (<= |0| |0|))
(assert (<= |0| (+ (+ |0| 1) (- 1))))
(assert (<= |1| |1|))
(assert (<= |1| (+ (+ |1| 1) (- 1))))
(assert (not (= (* (* 1.0 (|inverse of| (to_real (+ (+ |0| 1) (* (- 1) |0|))))) (* 1.0 (|inverse of| (to_real (+ (+ |1| 1) (* (- 1) |1|)))))) (to_real 1))))
(assert (=> (not (= (to_real (+ (+ |0| 1) (* (- 1) |0|))) 0.0)) (= (* (to_real (+ (+ |0| 1) (* (- 1) |0|))) (|inverse of| (to_real (+ (+ |0| 1) (* (- 1) |0|))))) 1.0)))
(assert (=> (not (= (to_real (+ (+ |1| 1) (* (- 1) |1|))) 0.0)) (= (* (to_real (+ (+ |1| 1) (* (- 1) |1|))) (|inverse of| (to_real (+ (+ |1| 1) (* (- 1) |1|))))) 1.0)))
(check-sat)

; query 37, z3: sat
; gradient mass is kept
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |7| () Int)
(declare-fun |8| () Int)
(declare-fun |9| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |quotient 3| () Int)
(declare-fun |quotient 4| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 1))
(assert (>= |3| 1))
(assert (>= |4| 0))
(assert (<= 0 |5|))
(assert (<= |5| (+ |4| (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |0| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |1| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |4| (- 1))))
(assert (<= 0 |8|))
(assert (<= |8| (+ |2| (- 1))))
(assert (<= 0 |9|))
(assert (<= |9| (+ |3| (- 1))))
(assert (<= |quotient 1| |6|))
(assert (<= |6| (+ (- |quotient 2|) (- 1))))
(assert (<= |quotient 3| |7|))
(assert (<= |7| (+ (- |quotient 4|) (- 1))))
(assert (not false))
(assert (=> (> |2| 0) (and (<= (* |2| |quotient 1|) (* |8| |0|)) (< (* |8| |0|) (+ (* |2| |quotient 1|) |2|)))))
(assert (=> (< |2| 0) (and (>= (* |2| |quotient 1|) (* |8| |0|)) (> (* |8| |0|) (+ (* |2| |quotient 1|) |2|)))))
(assert (=> (> |2| 0) (and (<= (* |2| |quotient 2|) (- (* (+ |8| 1) |0|))) (< (- (* (+ |8| 1) |0|)) (+ (* |2| |quotient 2|) |2|)))))
(assert (=> (< |2| 0) (and (>= (* |2| |quotient 2|) (- (* (+ |8| 1) |0|))) (> (- (* (+ |8| 1) |0|)) (+ (* |2| |quotient 2|) |2|)))))
(assert (=> (> |3| 0) (and (<= (* |3| |quotient 3|) (* |9| |1|)) (< (* |9| |1|) (+ (* |3| |quotient 3|) |3|)))))
(assert (=> (< |3| 0) (and (>= (* |3| |quotient 3|) (* |9| |1|)) (> (* |9| |1|) (+ (* |3| |quotient 3|) |3|)))))
(assert (=> (> |3| 0) (and (<= (* |3| |quotient 4|) (- (* (+ |9| 1) |1|))) (< (- (* (+ |9| 1) |1|)) (+ (* |3| |quotient 4|) |3|)))))
(assert (=> (< |3| 0) (and (>= (* |3| |quotient 4|) (- (* (+ |9| 1) |1|))) (> (- (* (+ |9| 1) |1|)) (+ (* |3| |quotient 4|) |3|)))))
(check-sat)

; query 38, z3: unsat, cvc5: unsat
; gradient mass is kept
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (<= 0 |2|))
(assert (<= |2| (+ |1| (- 1))))
(assert (not (= (ite (>= 0 (+ (ite (<= (+ |0| (- 1)) (+ (- |quotient 1|) (- 1))) (+ |0| (- 1)) (+ (- |quotient 1|) (- 1))) (* (- 1) (ite (>= 0 |quotient 2|) 0 |quotient 2|)) 1)) 0 (+ (ite (<= (+ |0| (- 1)) (+ (- |quotient 1|) (- 1))) (+ |0| (- 1)) (+ (- |quotient 1|) (- 1))) (* (- 1) (ite (>= 0 |quotient 2|) 0 |quotient 2|)) 1)) (+ (- |quotient 1|) (* (- 1) |quotient 2|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (< (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (- (* (+ |2| 1) |0|))) (> (- (* (+ |2| 1) |0|)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (* |2| |0|)) (< (* |2| |0|) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (* |2| |0|)) (> (* |2| |0|) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 39, z3: unsat, cvc5: unsat
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= (* |0| |1|) 1))
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (= (* |0| |1|) (* |0| |1|)))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (<= (* |2| |1|) |3|))
(assert (<= |3| (+ (+ (* |2| |1|) |1|) (- 1))))
(assert (not (<= 0 |3|)))
(check-sat)

; query 40, z3: sat
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |7| () Int)
(declare-fun |8| () Int)
(declare-fun |9| () Int)
(assert (>= (* |0| |1|) 1))
(assert (>= (* |2| |3|) 1))
(assert (>= |0| 1))
(assert (>= |2| 1))
(assert (>= |1| 1))
(assert (>= |3| 1))
(assert (= (* |0| |1|) (* |0| |1|)))
(assert (= (* |2| |3|) (* |2| |3|)))
(assert (>= |4| 0))
(assert (<= 0 |5|))
(assert (<= |5| (+ |4| (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |0| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |2| (- 1))))
(assert (<= (* |6| |1|) |8|))
(assert (<= |8| (+ (+ (* |6| |1|) |1|) (- 1))))
(assert (<= (* |7| |3|) |9|))
(assert (<= |9| (+ (+ (* |7| |3|) |3|) (- 1))))
(assert (not (<= |8| (+ |1| (- 1)))))
(check-sat)

; query 41, z3: sat
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |7| () Int)
(declare-fun |8| () Int)
(declare-fun |9| () Int)
(assert (>= (* |0| |1|) 1))
(assert (>= (* |2| |3|) 1))
(assert (>= |0| 1))
(assert (>= |2| 1))
(assert (>= |1| 1))
(assert (>= |3| 1))
(assert (= (* |0| |1|) (* |0| |1|)))
(assert (= (* |2| |3|) (* |2| |3|)))
(assert (>= |4| 0))
(assert (<= 0 |5|))
(assert (<= |5| (+ |4| (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |0| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |2| (- 1))))
(assert (<= (* |6| |1|) |8|))
(assert (<= |8| (+ (+ (* |6| |1|) |1|) (- 1))))
(assert (<= (* |7| |3|) |9|))
(assert (<= |9| (+ (+ (* |7| |3|) |3|) (- 1))))
(assert (not (<= |9| (+ |1| (- 1)))))
(check-sat)

; query 42, z3: sat
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(declare-fun |6| () Int)
(declare-fun |7| () Int)
(declare-fun |8| () Int)
(declare-fun |9| () Int)
(assert (>= (* |0| |1|) 1))
(assert (>= (* |2| |3|) 1))
(assert (>= |0| 1))
(assert (>= |2| 1))
(assert (>= |1| 1))
(assert (>= |3| 1))
(assert (= (* |0| |1|) (* |0| |1|)))
(assert (= (* |2| |3|) (* |2| |3|)))
(assert (>= |4| 0))
(assert (<= 0 |5|))
(assert (<= |5| (+ |4| (- 1))))
(assert (<= 0 |6|))
(assert (<= |6| (+ |0| (- 1))))
(assert (<= 0 |7|))
(assert (<= |7| (+ |2| (- 1))))
(assert (<= (* |6| |1|) |8|))
(assert (<= |8| (+ (+ (* |6| |1|) |1|) (- 1))))
(assert (<= (* |7| |3|) |9|))
(assert (<= |9| (+ (+ (* |7| |3|) |3|) (- 1))))
(assert (not false))
(check-sat)

; query 43, z3: unsat, cvc5: unsat
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= (* |1| |0|) |2|))
(assert (<= |2| (+ (+ (* |1| |0|) |0|) (- 1))))
(assert (not (<= 0 (+ |2| (* (- 1) |1| |0|)))))
(check-sat)

; query 44, z3: unsat, cvc5: unsat
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= (* |1| |0|) |2|))
(assert (<= |2| (+ (+ (* |1| |0|) |0|) (- 1))))
(assert (not (<= (+ |2| (* (- 1) |1| |0|)) (+ |0| (- 1)))))
(check-sat)

; query 45, z3: unsat, cvc5: unsat
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(assert (>= (* |0| |1|) 1))
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (= (* |0| |1|) (* |0| |1|)))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (<= (* |2| |1|) |3|))
(assert (<= |3| (+ (+ (* |2| |1|) |1|) (- 1))))
(assert (not (< |3| (* |0| |1|))))
(check-sat)

; query 46, z3: unsat, cvc5: unsat
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= 0 (+ |2| (* (- 1) |1| |0|))))
(assert (<= (+ |2| (* (- 1) |1| |0|)) (+ |0| (- 1))))
(assert (<= 0 |2|))
(assert (not (<= (* |1| |0|) |2|)))
(check-sat)

; query 47, z3: unsat, cvc5: unsat
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= 0 (+ |2| (* (- 1) |1| |0|))))
(assert (<= (+ |2| (* (- 1) |1| |0|)) (+ |0| (- 1))))
(assert (<= 0 |2|))
(assert (not (<= |2| (+ (+ (* |1| |0|) |0|) (- 1)))))
(check-sat)

; query 48, z3: unsat, cvc5: unsat
; m | n is plain pooling: forward
; m | n is plain pooling: JVP
; m | n is plain pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (not (= (+ (+ (* |1| |0|) |0|) (* (- 1) (* |1| |0|))) |0|)))
(check-sat)

; query 49, z3: unsat, cvc5: unsat
; m | n is plain pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= (* |0| |1|) 1))
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (= (* |0| |1|) (* |0| |1|)))
(assert (<= 0 |2|))
(assert (<= |2| (+ (* |0| |1|) (- 1))))
(assert (not (< |2| (* |0| |1|))))
(check-sat)

; query 50, z3: unsat, cvc5: unsat
; m | n is plain pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= (* |0| |1|) 1))
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (= (* |0| |1|) (* |0| |1|)))
(assert (<= 0 |2|))
(assert (<= |2| (+ (* |0| |1|) (- 1))))
(assert (<= (ite (>= 0 (+ (- |quotient 1|) (- 1))) 0 (+ (- |quotient 1|) (- 1))) |3|))
(assert (<= |3| (ite (<= (+ |0| (- 1)) |quotient 2|) (+ |0| (- 1)) |quotient 2|)))
(assert (not (<= 0 |3|)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (- (+ |2| 1))) (< (- (+ |2| 1)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (- (+ |2| 1))) (> (- (+ |2| 1)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (+ |2| 0)) (< (+ |2| 0) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (+ |2| 0)) (> (+ |2| 0) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 51, z3: unsat, cvc5: unsat
; m | n is plain pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |3| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= (* |0| |1|) 1))
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (= (* |0| |1|) (* |0| |1|)))
(assert (<= 0 |2|))
(assert (<= |2| (+ (* |0| |1|) (- 1))))
(assert (<= (ite (>= 0 (+ (- |quotient 1|) (- 1))) 0 (+ (- |quotient 1|) (- 1))) |3|))
(assert (<= |3| (ite (<= (+ |0| (- 1)) |quotient 2|) (+ |0| (- 1)) |quotient 2|)))
(assert (not (< |3| |0|)))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 1|) (- (+ |2| 1))) (< (- (+ |2| 1)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 1|) (- (+ |2| 1))) (> (- (+ |2| 1)) (+ (* |1| |quotient 1|) |1|)))))
(assert (=> (> |1| 0) (and (<= (* |1| |quotient 2|) (+ |2| 0)) (< (+ |2| 0) (+ (* |1| |quotient 2|) |1|)))))
(assert (=> (< |1| 0) (and (>= (* |1| |quotient 2|) (+ |2| 0)) (> (+ |2| 0) (+ (* |1| |quotient 2|) |1|)))))
(check-sat)

; query 52, z3: unsat, cvc5: unsat
; m | n is plain pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= 0 |2|))
(assert (<= (* |2| |0|) |1|))
(assert (<= |1| (+ (+ (* |2| |0|) |0|) (- 1))))
(assert (not (<= (+ (- |quotient 1|) (- 1)) |2|)))
(assert (=> (> |0| 0) (and (<= (* |0| |quotient 1|) (- (+ |1| 1))) (< (- (+ |1| 1)) (+ (* |0| |quotient 1|) |0|)))))
(assert (=> (< |0| 0) (and (>= (* |0| |quotient 1|) (- (+ |1| 1))) (> (- (+ |1| 1)) (+ (* |0| |quotient 1|) |0|)))))
(check-sat)

; query 53, z3: unsat, cvc5: unsat
; m | n is plain pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= 0 |2|))
(assert (<= (* |2| |0|) |1|))
(assert (<= |1| (+ (+ (* |2| |0|) |0|) (- 1))))
(assert (not (<= (* |0| |2|) (+ |1| 0))))
(check-sat)

; query 54, z3: unsat, cvc5: unsat
; m | n is plain pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= 0 |2|))
(assert (<= (+ (- |quotient 1|) (- 1)) |2|))
(assert (<= (* |0| |2|) (+ |1| 0)))
(assert (not (<= (* |2| |0|) |1|)))
(assert (=> (> |0| 0) (and (<= (* |0| |quotient 1|) (- (+ |1| 1))) (< (- (+ |1| 1)) (+ (* |0| |quotient 1|) |0|)))))
(assert (=> (< |0| 0) (and (>= (* |0| |quotient 1|) (- (+ |1| 1))) (> (- (+ |1| 1)) (+ (* |0| |quotient 1|) |0|)))))
(check-sat)

; query 55, z3: unsat, cvc5: unsat
; m | n is plain pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= 0 |2|))
(assert (<= (+ (- |quotient 1|) (- 1)) |2|))
(assert (<= (* |0| |2|) (+ |1| 0)))
(assert (not (<= |1| (+ (+ (* |2| |0|) |0|) (- 1)))))
(assert (=> (> |0| 0) (and (<= (* |0| |quotient 1|) (- (+ |1| 1))) (< (- (+ |1| 1)) (+ (* |0| |quotient 1|) |0|)))))
(assert (=> (< |0| 0) (and (>= (* |0| |quotient 1|) (- (+ |1| 1))) (> (- (+ |1| 1)) (+ (* |0| |quotient 1|) |0|)))))
(check-sat)
